"""Tasks and pairs: the SCAN grammar, the benchmark splits, and readers for a user's own files."""
