"""The console commands; they parse arguments and print."""
