"""Watching a lesson's folder: a grading at every save, keys without Enter."""
