"""Experiments: sweeps, baselines, corrupted pairs, and the published study. Not part of a user's install."""
