"""Players: each chooses moves for one side of a game, and reports what it knows of a position.

player.py    what every player is; Root and Candidate, the statistics that it reports
registry.py  the players by name, and how they are made from settings
clock.py     time controls, and the share of time for one move
ending.py    resignation, dead stones, and when to pass
"""
