"""`python -m tengen` is `tengen`."""

from tengen.cli.main import main

main()
