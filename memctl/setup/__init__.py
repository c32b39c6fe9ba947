"""Connect agents to memctl: edit their settings, and take every edit out again.

Settings are edited as text: what memctl adds is inserted, everything else keeps its place, its
comments and its bytes. To connect another agent, add a function to the table in `recipes`.
"""
