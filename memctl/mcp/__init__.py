"""`memctl mcp`: the tools over the Model Context Protocol, on standard input and output.

The client starts the server and ends it by closing its input; there is no other server of ours. The
store is opened for each call and closed again, so that a client that keeps the server open all day
holds nothing. The protocol itself is the official SDK's (the extra `memctl[mcp]`); `wire` answers
what the SDK drops in silence, and `memctl.tools` does all the work.
"""
