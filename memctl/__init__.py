"""memctl: the shared, durable memory of all the coding agents that one operator works with."""

__version__ = "0.1.0"
