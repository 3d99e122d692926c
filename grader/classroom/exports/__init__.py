"""What a graded class looks like to the systems that keep its grades."""
