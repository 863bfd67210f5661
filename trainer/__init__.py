"""Hierarchical reinforcement learning with a curriculum."""
