"""Shared by all rooms: errors, files, words and the notation of rules. Standard library only."""
