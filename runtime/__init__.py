"""The lightweight runtime: loads an exported file and translates."""
