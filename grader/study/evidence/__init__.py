"""The portfolio of one lesson."""
