"""A course: submissions as a learning-management system delivers them, graded and given back."""
