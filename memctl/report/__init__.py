"""One HTML page about a store: it needs no network, no script, and shows words as words."""
