"""The paper's experiments: their runs, what was reported elsewhere, and the report of both."""
