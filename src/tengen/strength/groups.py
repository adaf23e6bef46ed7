"""The eleven rank groups of Fox.

Fox's games are between players of one group: 3 to 5 kyu, 1 and 2 kyu, then every dan from 1 to 9. On the scale
of `tengen.ratings.scales` (30.0 is the bottom of 1 dan) a group is represented by its middle.
"""

from __future__ import annotations

import numpy as np

GROUPS = ("3-5k", "1-2k", *(f"{dan}d" for dan in range(1, 10)))
CENTRES = np.array([26.5, 29.0, *(29.5 + dan for dan in range(1, 10))])
WIDTHS = np.array([3.0, 2.0] + [1.0] * 9)
# The group of each `Rank.number`: 1k is 0, 2k is -1, 1d is 1.
GROUP_OF_NUMBER = {-4: 0, -3: 0, -2: 0, -1: 1, 0: 1} | {dan: dan + 1 for dan in range(1, 10)}
