"""What people and agents do to records: write, approve, edit, link, pin, rate and resolve."""
