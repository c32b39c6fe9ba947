"""The entry point of every surface: `MemoryEngine` and its operation groups."""
