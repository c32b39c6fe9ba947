"""Records with what belongs to them: views, projects, relations, now or at a past time."""
