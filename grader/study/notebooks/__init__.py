"""Lessons and exercises as notebooks."""
