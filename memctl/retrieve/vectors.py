"""Making vectors: the records that have none are embedded in short steps, by the model that the
settings name.

Kept true: any step may be the last, and the next run goes on from there; nothing is embedded inside
a transaction; a vector is kept only if the record still has the words that were read. A new model's
vectors are made beside the old ones, which answer until the new ones are complete; two models never
mix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice

from memctl import embed
from memctl.core import clock
from memctl.core.errors import EmbeddingUnavailable, StoreDamaged, StoreLocked
from memctl.core.frozen import dataclass
from memctl.core.model import Memory
from memctl.results.store import Check
from memctl.retrieve import query_embedding
from memctl.settings.config import Config
from memctl.store import chunks, derived_tables, marks, meta, records, semantic, vector_index
from memctl.store.database import Database
from memctl.store.semantic import Model

# Told after every batch: how many vectors are made, and how many that makes of all that were
# wanting.
Progress = Callable[[int, int], None]
# Records that are embedded and written at once; chosen by latency.
_BATCH = 32
# Vectors that enter the nearest-neighbour table in one transaction; chosen by latency.
_INDEX_BATCH = 200
# Characters that a write may embed at once: they cost it well under 50 ms with the kernel.
_INLINE_CHARACTERS = 800
# Seconds that a write waits for the store to add its vectors.
_INLINE_WAIT_SECONDS = 0.05
_SETTING = "`memctl config --example` shows the setting"
_TABLE_MODEL = "vector_table_model"


@dataclass(frozen=True, slots=True)
class Embedded:
    """What a run made: vectors, and entries of the nearest-neighbour table; `flags` say what is
    off.
    """

    made: int = 0
    indexed: int = 0
    flags: tuple[str, ...] = ()


def embed_waiting(
    db: Database,
    config: Config,
    progress: Progress = lambda done, total: None,
    enough: Callable[[], bool] = lambda: False,
) -> Embedded:
    """Give every living record a vector and every vector its entry in the nearest-neighbour table.

    `enough` is asked after every batch whether to leave the rest.
    """
    if config["embedding.model"] == query_embedding.OFF:
        return Embedded(flags=(query_embedding.NO_VECTORS, "vectors_off"))
    try:
        model, embedder = _choose_model(db, config)
    except EmbeddingUnavailable as missing:
        return Embedded(flags=(query_embedding.NO_VECTORS, missing.flag))
    made = embed_batches(db, model, embedder, progress, enough)
    _serve_if_complete(db, model)
    indexed, flags = _update_index(db, config, enough)
    return Embedded(made, indexed, flags)


def embed_now(db: Database, config: Config, memories: Sequence[Memory]) -> int:
    """Give a few records that were just written their vectors at once, if that costs next to
    nothing; return how many got one.
    """
    model = semantic.find_serving_model(db)
    texts = [semantic.compose_text(memory) for memory in memories]
    if (
        model is None
        or model.name != embed.BUILT_IN
        or config["embedding.model"] != model.name
        or sum(map(len, texts)) > _INLINE_CHARACTERS
    ):
        return 0
    try:
        embedder = query_embedding.find_embedder(db, config, model.name)
    except EmbeddingUnavailable:
        return 0
    if embedder.backend != "kernel" or embedder.fingerprint != model.fingerprint:
        return 0
    read, made = (
        {records.find_number(db, memory.id): memory for memory in memories},
        _embed_texts(embedder, texts),
    )
    has_table = (
        config["embedding.extension"]
        and vector_index.has_table(db)
        and vector_index.load_extension(db)
    )
    try:
        with db.write(_INLINE_WAIT_SECONDS):
            kept = _store_vectors(db, model, read, made)
            _note_verified_weights(db, embedder)
            if has_table:
                vector_index.index_some(db, model.id, _INDEX_BATCH)
    except (StoreLocked, StoreDamaged):  # Maintenance will do it.
        return 0
    return kept


def choose_first_model(db: Database, config: Config) -> None:
    """Choose the model of a new store, so that what is written into it has its vectors at once."""
    if config["embedding.model"] != embed.BUILT_IN or semantic.find_serving_model(db) is not None:
        return
    with suppress(EmbeddingUnavailable):
        _choose_model(db, config)
        _update_index(db, config)


def reset_index(db: Database) -> None:
    """Let the next step build the nearest-neighbour table anew."""
    with db.write():
        meta.put_note(db, _TABLE_MODEL, "")


def has_lost_index(db: Database, model: Model) -> bool:
    """Whether the nearest-neighbour table was made for a model and is gone or damaged."""
    if meta.get_note(db, _TABLE_MODEL) != str(model.id):
        return False
    return not vector_index.has_table(db) or vector_index.find_damage(db, model.id) is not None


def count_waiting(db: Database, config: Config) -> int:
    """Count the living records that have no vector of the model that answers."""
    model = semantic.find_serving_model(db)
    return (
        semantic.count_without_vector(db, model.id)
        if model is not None and config["embedding.model"] != query_embedding.OFF
        else 0
    )


def check_vectors(db: Database, config: Config) -> Iterator[Check]:
    """What `doctor` says of vectors: the model, how many records are embedded, and the
    nearest-neighbour table.
    """
    if config["embedding.model"] == query_embedding.OFF:
        yield Check(
            "embedding",
            "note",
            "turned off by embedding.model; search uses words only",
            "memctl config --example shows the setting",
        )
        return
    try:
        embedder = query_embedding.find_embedder(db, config, config["embedding.model"])
    except EmbeddingUnavailable as missing:
        yield Check("embedding", "note", f"{missing}; search uses words only", missing.hint)
        return
    slow = embedder.backend == "numpy"
    cure = "reinstall memctl where there is a C compiler" if slow else None
    yield Check(
        "embedding",
        "note" if slow else "ok",
        f"{embedder.name} by {embedder.backend}{', slower than its kernel' if slow else ''}",
        cure,
    )
    yield _check_coverage(db, embedder)
    yield _check_table(db, config)


def _check_coverage(db: Database, embedder: embed.Embedder) -> Check:
    model, cure = semantic.find_serving_model(db), "`memctl maintain` makes them"
    if model is None and semantic.count_without_vector(db, -1):
        return Check("vectors", "note", "no record has a vector yet; search uses words only", cure)
    if model is None:
        return Check("vectors", "ok", "there is no record yet that could have one")
    if model.fingerprint != embedder.fingerprint:
        return Check(
            "vectors",
            "note",
            f"those of {model.name} answer until {embedder.name} has embedded every record",
            cure,
        )
    have, lack = semantic.count_vectors(db, model.id), semantic.count_without_vector(db, model.id)
    if lack:
        return Check("vectors", "note", f"{lack} records have no vector yet, {have} have", cure)
    return Check("vectors", "ok", f"every living record has a vector ({have})")


def _check_table(db: Database, config: Config) -> Check:
    """The table is optional: without it, semantic similarity only re-ranks what words found."""
    without = "semantic similarity only re-ranks what words find"
    if not config["embedding.extension"]:
        return Check(
            "vector_index", "note", f"turned off by embedding.extension; {without}", _SETTING
        )
    if not vector_index.list_extension_paths():
        # Imported here: only where there is no index.
        from memctl.retrieve import vector_platforms

        where = vector_platforms.describe_missing()
        if where:
            return Check("vector_index", "note", f"sqlite-vec has no build for {where}; {without}")
        return Check(
            "vector_index",
            "note",
            f"sqlite-vec is not installed; {without}",
            "pip install 'memctl[vectors]', or sqlite-vec beside it",
        )
    if not vector_index.load_extension(db):
        cure = "pip install pysqlite3, or a Python whose sqlite3 loads extensions"
        return Check(
            "vector_index", "note", f"this SQLite does not load sqlite-vec; {without}", cure
        )
    model = semantic.find_serving_model(db)
    if model is not None and vector_index.find_damage(db, model.id):
        return Check(
            "vector_index",
            "problem",
            f"the vector index lacks vectors or parts; {without}",
            "`memctl maintain` makes it anew",
        )
    if model is not None and not vector_index.has_table(db):
        return Check(
            "vector_index", "note", f"not made yet; {without}", "`memctl maintain` makes it"
        )
    if model is not None and (lack := vector_index.count_unindexed(db, model.id)):
        return Check(
            "vector_index",
            "note",
            f"{lack} vectors are not in the index yet",
            "`memctl maintain` takes them in",
        )
    return Check("vector_index", "ok", "nearest vectors are found by sqlite-vec")


def _choose_model(db: Database, config: Config) -> tuple[Model, embed.Embedder]:
    """Note the configured model in the store; the first one answers at once, however few vectors
    it has.
    """
    embedder = query_embedding.find_embedder(db, config, config["embedding.model"])
    with db.write():
        number = semantic.ensure_model(
            db, embedder.name, embedder.dimensions, embedder.fingerprint, clock.now()
        )
        _note_verified_weights(db, embedder)
        if semantic.find_serving_model(db) is None:
            semantic.set_serving_model(db, number)
    return Model(number, embedder.name, embedder.dimensions, embedder.fingerprint), embedder


def _note_verified_weights(db: Database, embedder: embed.Embedder) -> None:
    """Note in the open transaction which weights were verified: doing it anew takes 17 ms."""
    if embedder.stamp and embedder.stamp != semantic.get_weights_stamp(db):
        semantic.put_weights_stamp(db, embedder.stamp)


def embed_batches(
    db: Database,
    model: Model,
    embedder: embed.Embedder,
    progress: Progress,
    enough: Callable[[], bool],
    *,
    compose: Callable[[Memory], str] = semantic.compose_text,
    episodes: bool = True,
) -> int:
    """Give living records, `episodes` or not, a model's vector of what `compose` takes of them.

    Returns how many were made; each batch is a transaction of its own.
    """
    total = semantic.count_without_vector(db, model.id, episodes=episodes)
    made, after = 0, -1
    while total and not enough():
        rows = semantic.list_without_vector(db, model.id, after, _BATCH, episodes=episodes)
        if not rows:
            break
        found = {row["n"]: records.from_row(row) for row in rows}
        after = max(found)
        made += _store_vectors(
            db,
            model,
            found,
            _embed_texts(embedder, list(map(compose, found.values()))),
        )
        progress(made, max(total, made))
    return made


def _embed_texts(embedder: embed.Embedder, texts: Sequence[str]) -> list[bytes]:
    """One vector for each text: of a long one the mean of its pieces."""
    pieces = [semantic.split_pieces(text) for text in texts]
    made = iter(embedder.embed([piece for several in pieces for piece in several]))
    return [semantic.compute_mean(list(islice(made, len(several)))) for several in pieces]


def _store_vectors(
    db: Database, model: Model, read: dict[int, Memory], made: Iterable[bytes]
) -> int:
    """Keep the vectors of those records that still say what was read."""
    packed = dict(zip(read, map(semantic.pack_vector, made), strict=True))
    with db.write():
        now = records.list_by_numbers(db, read)
        same = [
            n
            for n, memory in now.items()
            if semantic.compose_text(memory) == semantic.compose_text(read[n])
        ]
        for n in same:
            semantic.put_vector(db, model.id, n, now[n], packed[n])
            if model.name == embed.SLOTS:  # marks that were made without it may be others now
                marks.renew_marks_of(db, now[n].id, now[n].status)
    return len(same)


def _serve_if_complete(db: Database, model: Model) -> None:
    """Let a model that has a vector for every record answer, and drop those of all others."""
    with db.write():
        if semantic.find_serving_model(db) != model and not semantic.count_without_vector(
            db, model.id
        ):
            semantic.set_serving_model(db, model.id)
        if semantic.find_serving_model(db) == model:
            semantic.drop_replaced_models(db, model.id)


def index_vectors(db: Database, config: Config) -> None:
    """Build the nearest-neighbour table if there is none, from the vectors that there are."""
    _update_index(db, config)


def _update_index(
    db: Database, config: Config, enough: Callable[[], bool] = lambda: False
) -> tuple[int, tuple[str, ...]]:
    """Bring the nearest-neighbour table up to date with the vectors of the model that answers."""
    model = semantic.find_serving_model(db)
    if model is None:
        return 0, ()
    if not config["embedding.extension"] or not vector_index.load_extension(db):
        return 0, ("no_vector_index",)
    is_damaged = vector_index.find_damage(db, model.id) is not None
    if (is_damaged or _lacks_table(db, model)) and not _forget_indexed(db, model, enough):
        return 0, ()
    with db.write():
        if is_damaged or _lacks_table(db, model):
            vector_index.make_table(db, model)
            meta.put_note(db, _TABLE_MODEL, str(model.id))
    indexed = 0
    while True:
        with db.write():
            step = vector_index.index_some(db, model.id, _INDEX_BATCH)
        indexed += step
        if step < _INDEX_BATCH or enough():
            derived_tables.drop_replaced(db, enough)
            return indexed, ()


def _lacks_table(db: Database, model: Model) -> bool:
    is_other = meta.get_note(db, _TABLE_MODEL) != str(model.id)
    return is_other or not vector_index.has_table(db)


def _forget_indexed(db: Database, model: Model, enough: Callable[[], bool]) -> bool:
    """Let no vector count as indexed any more, in short transactions, before the table is made.

    The first of them notes that the table is to be made, which a kill does not change. Returns
    False if told to stop before the last.
    """
    numbers = vector_index.list_indexed(db, model.id)
    return len(numbers) == chunks.change_in_chunks(
        db,
        numbers,
        lambda n: vector_index.mark_unindexed(db, model.id, n),
        note=lambda _done: meta.put_note(db, _TABLE_MODEL, ""),
        must_stop=enough,
    )
