"""What the CGI paper (Wu et al., "Multi-labelled value networks for computer Go", 2017) prints."""

from __future__ import annotations

# Table 1: the win rate v_k of one position, whose game ended with Black 3 points ahead.
TABLE_1 = {
    -3.5: 0.800943, -2.5: 0.748812, -1.5: 0.748309, -0.5: 0.680036, 0.5: 0.678897, 1.5: 0.599618, 2.5: 0.599108,
    3.5: 0.512413, 4.5: 0.511263, 5.5: 0.423886, 6.5: 0.423626, 7.5: 0.339738, 8.5: 0.339353, 9.5: 0.265258,
    10.5: 0.264586, 11.5: 0.20581, 12.5: 0.204716,
}  # fmt: skip
EVEN_MARGINS = 0.015  # III.A: share of self-play games with an even margin
# Table 2: mean MSE in 7.5-komi games.
TABLE_2 = {"vn": 0.35388, "ml_vn": 0.346082, "bv_vn": 0.35366, "bv_ml_vn": 0.348138}
# Table 3: row beats column in %, 500 games a pair, with the half width of the 95 % interval where it is printed. BV-VN
# against VN is printed as 66.6, a misprint: 39.4 is its complement.
TABLE_3 = {
    ("vn", "ml_vn"): "39.6 ± 4.29 %",
    ("vn", "bv_vn"): "39.4 ± 4.29 %",
    ("vn", "bv_ml_vn"): "32.4 ± 4.11 %",
    ("ml_vn", "bv_vn"): "49.2 ± 4.39 %",
    ("ml_vn", "bv_ml_vn"): "47.2 %",
    ("bv_vn", "bv_ml_vn"): "47.2 ± 4.38 %",
}
# Tables 4 and 5 (BV-ML-VN) and 6 (VN): the program wins in %, with the half width of the 95 % interval; 250 games a
# cell. Even games at komi 7.5; H1 to H4 as White at komi 0.5.
TABLE_4 = {
    "none": {"even": (80.8, 4.89)}, "ss-r": {"even": (80.0, 4.97)}, "ss-b": {"even": (78.0, 5.15)},
    "ss-m": {"even": (79.6, 5.01)}, "vs-m": {"even": (82.0, 4.77)}, "ml-dk": {"even": (83.2, 4.64)},
}  # fmt: skip
TABLE_5 = {
    "none": {"H1": (74.0, 5.45), "H2": (50.0, 6.21), "H3": (30.4, 5.71), "H4": (10.8, 3.86)},
    "ss-r": {"H1": (76.0, 5.30), "H2": (58.0, 6.13), "H3": (38.0, 6.03), "H4": (22.0, 5.15)},
    "ss-b": {"H1": (77.6, 5.18), "H2": (54.0, 6.19), "H3": (31.6, 5.77), "H4": (20.4, 5.01)},
    "ss-m": {"H1": (74.4, 5.42), "H2": (49.2, 6.21), "H3": (34.0, 5.88), "H4": (12.8, 4.15)},
    "vs-m": {"H1": (71.6, 5.60), "H2": (46.8, 6.20), "H3": (30.4, 5.71), "H4": (9.2, 3.59)},
    "ml-dk": {"H1": (80.0, 4.97), "H2": (57.2, 6.15), "H3": (41.6, 6.12), "H4": (18.4, 4.81)},
}
TABLE_6 = {
    "ss-r": {"H1": (75.6, 5.33), "H2": (52.0, 6.21), "H3": (33.2, 5.85), "H4": (10.4, 3.79)},
    "ml-dk": {"H1": (73.2, 5.50), "H2": (53.2, 6.20), "H3": (30.8, 5.73), "H4": (10.4, 3.79)},
}
# IV.E: how often v_6.5 wins, the pairs, and how many more of them v_6.5 wins with both colours.
SECTION_4E = "51.52 ± 1.22 %"
SECTION_4E_PAIRS, SECTION_4E_BOTH = 2630, 80
VN_KOMI = 7.5  # of the games that VN and BV-VN learn from
# IV.B and IV.E, by the komi of the games: Black's wins, and those that would be losses at 7.5.
BLACK_WINS = {0.5: "39.88 %"}
BARELY_WON = {0.5: "5.33 %", 6.5: "0.78 % (IV.B), 0.68 % (IV.E)"}
# IV.C: d-prediction rates in % at the start and near the end of a game; 4 and 5 are not printed.
FIGURE_7 = {0: (8, 32), 1: (10, 40), 2: (20, 75), 3: (20, 75), 6: (45, 92), 7: (45, 92)}
FIGURE_8_EMPTY = 0.63  # IV.B: v_0.5 of the empty board, as a win rate
# IV.F: lower right and upper left in %, of 2,000 positions, at each komi.
QUADRANTS = {7.5: (6.85, 5.3), 0.5: (2.7, 7.8)}
LAST = 285  # positions from here on are pooled (IV.A)

NAMES = {"vn": "VN", "ml_vn": "ML-VN", "bv_vn": "BV-VN", "bv_ml_vn": "BV-ML-VN"}
