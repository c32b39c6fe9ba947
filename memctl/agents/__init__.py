"""What is known of each agent: its hook contract, and where it keeps its sessions.

Tables and pure functions; to add an agent, add it to the table of each module.
"""
