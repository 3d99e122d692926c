"""What authors run: the proof that a lesson keeps its promises."""
