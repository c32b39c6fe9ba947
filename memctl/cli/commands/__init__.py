"""One command, one file: its options, one call of the engine, the data it returns. Loaded only when called."""
