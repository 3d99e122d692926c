"""Self-contained HTML pages for students and their instructor."""
