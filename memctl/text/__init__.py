"""Pure functions over text: words, stems, languages, dates, Markdown lines, private blocks."""
