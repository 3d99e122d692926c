"""The learner's loop: practising with a lesson."""
