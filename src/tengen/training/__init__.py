"""Training nets: recipes, data, optimisers, and runs with checkpoints. Needs the `train` extra (torch)."""

from __future__ import annotations

import importlib.util

from tengen.errors import InputError


def need_torch() -> None:
    """InputError that says how to get torch where it is not installed."""
    for package in ("torch", "safetensors"):
        if importlib.util.find_spec(package) is None:
            raise InputError(f"training needs {package}, which is not installed: pip install 'tengen[train]'")
