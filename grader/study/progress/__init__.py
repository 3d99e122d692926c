"""What a learner has done, kept in one file."""
