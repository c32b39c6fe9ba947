"""Take conversations and other tools' memories into the store, from hooks, files and past
sessions.
"""
