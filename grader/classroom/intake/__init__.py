"""Intake: from a download, as a learning-management system makes it, to one submission per student."""

from grader.classroom.intake.recognise import take_in

__all__ = ["take_in"]
