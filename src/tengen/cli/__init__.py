"""The `tengen` command, one file a command."""
