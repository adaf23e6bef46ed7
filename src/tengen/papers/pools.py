"""The pools that several reproductions use."""

from __future__ import annotations

from pathlib import Path

from tengen.papers.reproduction import Request
from tengen.progress import renamed


def kgs_pool(request: Request) -> Path:
    """The pool asked for; else that of KGS, imported once into the work folder."""
    if request.pool is not None:
        return request.pool
    pool = request.work / "kgs6d.parquet"
    if not pool.is_file():
        from tengen.games.importing import import_games

        progress = renamed(request.progress, "importing the KGS games")
        import_games([request.file("kgs6d")], pool, progress=progress)
    return pool
