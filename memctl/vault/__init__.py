"""Folders of Markdown notes that follow the records, and edits made there that come back.

`note_text` writes and reads one note, `wikilinks` resolves links, `plan` decides; all three are
pure. `scan` reads the folder, `notes_on_disk` changes it, `sync` does one run.
"""
