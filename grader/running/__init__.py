"""Running student code in a process of its own and talking to it in data."""
