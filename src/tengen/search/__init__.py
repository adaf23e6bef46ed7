"""Players: each chooses moves for one side of a game, and reports what it knows of a position.

player.py         what every player is; Root and Candidate, the statistics that it reports
registry.py       the players by name, and how they are made from settings
puct.py           the player that searches; tree_report.py reads its tree
policy_player.py  the player that does not
long_term.py      the player that imagines local fights; imagining.py and imagining_sides.py play them, rewards.py
                  says what they are worth
clock.py          time controls, and the share of time for one move; thinking.py, when to stop
ending.py         resignation, and when to pass; ended.py, what an ended game is worth; capturing.py, dead stones
dynamic_komi.py   the komi to search for; game_komi.py, from which root and when
"""
