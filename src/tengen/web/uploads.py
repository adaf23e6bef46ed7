"""Files in a request: read as they arrive, within bounds."""

from __future__ import annotations

from typing import Any

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request

from tengen.web.games import Upload
from tengen.web.limits import Limits
from tengen.web.refusal import RefusalError

FIELDS = ("files", "file")


async def read_form(request: Request, limits: Limits) -> tuple[list[Upload], dict[str, str]]:
    """The files of a form, and its other fields."""
    try:
        form = await request.form(max_files=limits.files + 1, max_fields=20, max_part_size=limits.file_bytes)
    except HTTPException as error:
        status = 413 if "Too many" in error.detail or "exceeded" in error.detail else 400
        raise RefusalError(
            status, f"the form cannot be read: {error.detail} At most {limits.files} files are taken."
        ) from None
    uploads: list[Upload] = []
    fields: dict[str, str] = {}
    try:
        for name, value in form.multi_items():
            if isinstance(value, UploadFile):
                if name not in FIELDS:
                    raise RefusalError(422, f"send files in the field 'files', not in {name[:40]!r}")
                if value.filename or value.size:
                    uploads.append(Upload(value.filename or "game.sgf", await value.read()))
            elif name not in FIELDS:  # a form without a file sends an empty field
                fields[name] = value
    finally:
        await form.close()
    return uploads, fields


MULTIPART: dict[str, Any] = {
    "schema": {
        "type": "object",
        "properties": {"files": {"type": "array", "items": {"type": "string", "format": "binary"}}},
        "required": ["files"],
    }
}
