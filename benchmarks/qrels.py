"""Any retrieval set with relevance judgements.

    python benchmarks/qrels.py --data PATH [--split test] [--documents FILE --queries FILE] [--cache FILE] [--json OUT]

PATH is one of:
- a BEIR folder: corpus.jsonl (`_id`, `title`, `text`), queries.jsonl (`_id`, `text`), qrels/SPLIT.tsv (`query-id`, `corpus-id`, `score`);
- a TREC qrels file (`QID 0 DOCID REL`), with `--documents` and `--queries` as JSON Lines like BEIR's or as `ID<tab>TEXT` lines;
- one JSON file `{"documents": {ID: TEXT}, "queries": {ID: TEXT}, "qrels": {QID: {DOCID: REL}}}`.

Relevance above 0 is gold and its value the gain. Judged documents that are not in the collection,
and queries left without gold, are not scored.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.haystack import Document, Haystack, Question
from benchmarks.run import Given, arguments, measure

Texts = dict[str, str]
Judged = dict[str, dict[str, float]]


def beir(folder: Path, split: str) -> Haystack:
    """A BEIR folder."""
    judged = judgements(folder / "qrels" / f"{split}.tsv")
    return haystack(
        folder.name, texts(folder / "corpus.jsonl"), texts(folder / "queries.jsonl"), judged
    )


def single(path: Path) -> Haystack:
    """One JSON file with everything."""
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8-sig"))
    return haystack(path.stem, data["documents"], data["queries"], data["qrels"])


def trec(path: Path, documents: Path, queries: Path) -> Haystack:
    """A TREC qrels file with its texts."""
    return haystack(path.stem, texts(documents), texts(queries), judgements(path))


def haystack(
    name: str,
    documents: Mapping[str, str],
    queries: Mapping[str, str],
    judged: Mapping[str, Mapping[str, float]],
) -> Haystack:
    """Documents and queries with what was judged; only judged queries are kept."""
    questions = (
        Question(
            key,
            queries[key],
            "all queries",
            {name: gain for name, gain in found.items() if gain > 0 and name in documents},
        )
        for key, found in judged.items()
        if key in queries
    )
    return Haystack(
        name, tuple(Document(key, text) for key, text in documents.items()), tuple(questions)
    )


def texts(path: Path) -> Texts:
    """Texts by id: JSON Lines with `_id` and `text` (and `title`), or `ID<tab>TEXT` lines."""
    with path.open(encoding="utf-8-sig") as lines:
        return dict(_from_json(lines) if path.suffix == ".jsonl" else _from_tabs(lines))


def judgements(path: Path) -> Judged:
    """Relevance by query and document, of BEIR's three columns or TREC's four; BEIR's head line is
    passed over.
    """
    found: Judged = {}
    with path.open(encoding="utf-8-sig", newline="") as lines:
        for row in csv.reader(map(_tabbed, lines), delimiter="\t", quoting=csv.QUOTE_NONE):
            if len(row) >= 3 and row[:2] != ["query-id", "corpus-id"]:
                query, name, gain = (row[0], row[2], row[3]) if len(row) > 3 else row
                found.setdefault(query, {})[name] = float(gain)
    return found


def _tabbed(line: str) -> str:
    return line if "\t" in line else "\t".join(line.split())


def _from_json(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        if line.strip():
            item = json.loads(line)
            yield str(item["_id"]), "\n".join(filter(None, (item.get("title"), item["text"])))


def _from_tabs(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        name, tab, text = line.rstrip("\r\n").partition("\t")
        if tab:
            yield name, text


def main() -> None:
    """Measure whatever PATH is."""
    parser = arguments(__doc__)
    parser.add_argument("--split", default="test")
    parser.add_argument("--documents", type=Path)
    parser.add_argument("--queries", type=Path)
    given = parser.parse_args()
    if given.data.is_dir():
        found = beir(given.data, given.split)
    elif given.data.suffix == ".json":
        found = single(given.data)
    elif given.documents and given.queries:
        found = trec(given.data, given.documents, given.queries)
    else:
        parser.error("TREC qrels need --documents and --queries")
    measure([Given(found.name, [found])], given)


if __name__ == "__main__":
    main()
