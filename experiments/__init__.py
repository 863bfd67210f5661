"""Generated languages, sweeps, baselines, corrupted pairs, the published study. Not in a user's install."""
