"""Everything durable as one JSONL file, written and merged back."""
