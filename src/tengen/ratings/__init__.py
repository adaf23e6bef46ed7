"""Ratings from results: Bradley-Terry, Elo, Glicko-2, whole-history rating, and how good they are."""
