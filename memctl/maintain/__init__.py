"""Maintenance as named steps: a plan that can be shown, carried out within a time, gone on with by whoever comes next."""
