"""Strength from moves: what a net sees in each move of a player, and models that read it."""
