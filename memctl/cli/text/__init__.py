"""Results as lines of text, one module a topic; the table of them is in `renderers`."""
