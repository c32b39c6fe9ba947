"""History at work: changes undone with all that was built on them, and records made anew from the stream."""
