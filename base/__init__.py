"""What every room shares: errors, files, words and the notation of rules. The standard library only."""
