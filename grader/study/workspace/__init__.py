"""Where a learner's files lie and what comes next."""
