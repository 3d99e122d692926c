"""Predictions and how they are compared with what happens."""
