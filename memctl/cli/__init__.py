"""The command line: one file per command, and one place each for printing and for errors."""
