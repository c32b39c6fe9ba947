"""A benchmark that measures reading by meaning does not run without vectors unless told to."""

from __future__ import annotations

import argparse
import os
import sys

from memctl.core.errors import EmbeddingUnavailable
from memctl.embed import BUILT_IN, find_embedder

_MODEL = "MEMCTL_EMBEDDING_MODEL"


def add_option(parser: argparse.ArgumentParser) -> None:
    """Add `--without-vectors` to a benchmark's options."""
    parser.add_argument(
        "--without-vectors",
        action="store_true",
        help="measure by words alone; without this, a run without vectors is refused",
    )


def require_vectors(is_without: bool) -> None:
    """Switch vectors off where that was asked for; else end the run if there are none."""
    if is_without:
        os.environ[_MODEL] = "none"
        return
    model = os.environ.get(_MODEL, BUILT_IN)
    try:
        if model != "none":
            find_embedder(model)
            return
        missing = f"{_MODEL} is none"
    except EmbeddingUnavailable as error:
        missing = str(error)
    sys.exit(f"no vectors ({missing}): the figures would be of words alone; see --without-vectors")
