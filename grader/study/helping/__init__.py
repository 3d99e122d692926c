"""Hints and the reference beside a learner's file."""
