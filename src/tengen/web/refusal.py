"""A request that cannot be answered as asked."""

from __future__ import annotations

from typing import Any


class RefusalError(Exception):
    """The status, a sentence that says what was wrong and what to do, and other fields of the answer."""

    def __init__(self, status: int, error: str, **fields: Any) -> None:
        super().__init__(error)
        self.status = status
        self.fields = fields

    def to_json(self) -> dict[str, Any]:
        return {"error": str(self), **self.fields}


def not_found(what: str) -> RefusalError:
    return RefusalError(404, f"there is no {what} with this id: it was deleted, or the address is wrong")
