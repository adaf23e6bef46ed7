"""What one address, one tab and one job may ask for."""

from __future__ import annotations

from dataclasses import dataclass

from tengen.settings import option


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds of the server; every one can be set with `tengen serve --limit name=value`."""

    file_bytes: int = option(1_000_000, "Bytes of one game record.")
    upload_bytes: int = option(20_000_000, "Bytes of one request with files.")
    body_bytes: int = option(1_100_000, "Bytes of any other request.")
    files: int = option(100, "Game records of one upload, those in archives counted one by one.")
    moves: int = option(5_000, "Moves of one game.")
    visits: int = option(2_000, "Visits of one analysis or one move.")
    move_seconds: float = option(20.0, "Seconds of computing for one move of the opponent.")
    job_seconds: float = option(900.0, "Seconds of computing for one job.")
    tab_jobs: int = option(12, "Jobs of one tab that wait or run.")
    address_jobs: int = option(200, "Jobs of one address that wait or run.")
    address_requests: int = option(3_000, "Requests of one address in a minute.")
    kept_games: int = option(20_000, "Games that are kept; the oldest go first.")
    kept_analyses: int = option(
        200_000, "Positions whose analyses are kept; those not used longest go first."
    )
    tab_seconds: float = option(
        60.0, "Seconds after which the work for a page that has gone away is stopped."
    )
