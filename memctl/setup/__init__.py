"""Connecting agents: what is written into which of their files, and how exactly that comes out again.

Settings are edited as text: what memctl adds is inserted, everything else keeps its place, its comments and its bytes.
"""
