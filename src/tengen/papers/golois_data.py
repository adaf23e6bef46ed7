"""What the Golois paper (Cazenave, "Improved Architectures for Computer Go") says, and how it trains."""

from __future__ import annotations

from typing import Any

# Table 1: accuracy in % on the test set after 5, 10, ... 100 million examples; 256 planes, 42 input planes.
TABLE_1 = {
    "alpha13": (0.896, 0.675, 1.121, 1.454, 43.719, 46.334, 47.875, 48.629, 49.308, 49.698,
                50.196, 50.367, 50.954, 51.337, 51.489, 51.572, 51.981, 51.922, 52.056, 52.294),
    "dark13": (47.132, 49.179, 50.260, 51.076, 51.230, 51.832, 52.188, 52.384, 52.705, 52.748,
               53.244, 53.114, 53.471, 53.661, 53.969, 53.983, 54.145, 54.134, 54.183, 54.408),
    "res13": (46.978, 48.555, 50.302, 51.186, 51.088, 51.602, 52.258, 52.384, 52.697, 52.856,
              53.189, 53.201, 53.442, 53.720, 53.844, 53.635, 54.009, 54.051, 54.164, 54.226),
    "res20": (47.389, 48.821, 50.601, 51.449, 51.722, 51.797, 52.375, 52.618, 53.029, 53.157,
              53.566, 53.514, 53.794, 53.827, 54.063, 54.282, 54.438, 54.539, 54.631, 54.541),
    "res13-sbn": (47.819, 49.493, 50.826, 51.471, 51.689, 52.219, 52.611, 52.756, 53.085, 53.145,
                  53.441, 53.718, 53.708, 53.985, 53.984, 54.021, 54.349, 54.314, 54.485, 54.522),
}  # fmt: skip
TABLE_1_STEP = 5_000_000
# Second experiments (39 planes, Algorithm 1): where the curves of figure 8 end, without bagging.
FIGURE_8 = {"res13-sbn": 57.024, "res20-sbn": 57.687}
# net_20 after 340 million examples: alone, and the sum of its eight symmetries.
BAGGING = (58.001, 58.485)

# Section 3.3: mean square error, SGD with momentum 0.9, a rate of 0.2 x minibatch, minibatches of 50.
TRAINING: dict[str, Any] = {
    "losses.policy": "mse",
    "optimiser.method": "sgd",
    "optimiser.rate": 0.2,
    "optimiser.rate_times_batch": True,
    "optimiser.momentum": 0.9,
    "optimiser.batch": 50,
}
