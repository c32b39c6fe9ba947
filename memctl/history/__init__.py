"""The event log at work: changes undone with what depends on them, and records rebuilt from it."""
