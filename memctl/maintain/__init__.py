"""Maintenance: a planned series of steps that can be cut off anywhere and continued by any run."""
