"""A lesson as it is read and told in the terminal."""
