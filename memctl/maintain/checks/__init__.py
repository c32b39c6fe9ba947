"""The checks of `doctor`, one module a topic: store, records, agents, settings, surroundings.

To add a check, write a function in the module of its topic that takes the store and the settings
and yields `Finding`s, and add it to `CHECKS` in `memctl/maintain/doctor.py`.
"""
