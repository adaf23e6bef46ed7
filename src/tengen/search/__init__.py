"""Players: what chooses a move."""
