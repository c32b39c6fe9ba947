"""The command line: one file per command, one place that prints, one place that turns errors into exit codes."""
