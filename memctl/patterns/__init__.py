"""Find what recurs in several sessions, without a model: propose it, and write weekly digests."""
