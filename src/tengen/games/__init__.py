"""Many games: reading them by the million, filtering, splitting, searching."""
