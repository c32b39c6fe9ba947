"""Consolidation: which records say the same, contradict or replace each other, and what follows.

The way of a pair of records:

1. `neighbours` finds, by index, the records that a record could duplicate or contradict.
2. `prepare` unwraps each text once (lead-ins, reasons, asides; `paraphrases`) and cuts it into
   clauses.
3. `claim_parser` reads a prepared text into one `ParsedClaim`: `claim_patterns` find topic and
   answer, `topics` and `answers` bring them to a form that compares, `answer_spans` finds typed
   answers.
4. `compare.relation_of` asks each judgement in turn: `exclusion` (same topic, other answer),
   `denial`, `duplicates` (one fact in two wordings), `typed_answers` (with semantic similarity).
5. `plan` turns relations into decisions: merge, contradict, propose, supersede. Pure, and shown by
   a dry run. `wording` says which of two wordings stands, `similarity` how close they are.
6. `apply` carries decisions out, each in one short transaction; `cross_project` proposes wider
   records.

`words`, `features`, `lexicon` and `english_words` serve all of these. Apart from pairs stand
`restatement` and `novelty` (does an agent only repeat what it was given?) and `entity_*` (which
names are one, and which records speak of whom).
"""
