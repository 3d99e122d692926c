"""What other systems need to run this grader themselves."""
