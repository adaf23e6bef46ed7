"""Ratings from results: pools of games, Bradley-Terry, Elo, Glicko-2, whole-history rating, and how good they are."""
