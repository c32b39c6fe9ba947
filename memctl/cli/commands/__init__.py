"""One file per command: its options, one call of the engine, the data it returns."""
