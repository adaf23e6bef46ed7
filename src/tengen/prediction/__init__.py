"""How well nets predict the moves of games."""
