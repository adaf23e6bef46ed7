"""Scaling of inputs to unit variance, whatever the variances of a net's channels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.strength.windows import Floats, Rows

SAMPLE = 50_000  # the minimum number of rows for the measurement, where there are that many
FLOOR = 0.02  # added to the variance of each principal direction of inputs with unit variances


class Scaling(NamedTuple):
    """(x - `centre`) @ `matrix`, for inputs x (n, d_x).

    It could be multiplied into the first layer's weights, so it only changes their initialisation. Training depends on
    it: all inputs are learnt at the same rate only if they have the same variance.
    """

    centre: Floats
    matrix: Floats

    def of(self, x: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
        return np.asarray((x - self.centre) @ self.matrix)


def scaling_of(features: Rows, whitened: bool) -> Scaling:
    """Divides each input by its standard deviation; with whitening, also makes inputs uncorrelated.

    Whitening is for inputs whose small differences matter, such as the trunk features at the move and the expected
    ones, which are strongly correlated. `FLOOR` limits the amplification of directions with little variance.
    """
    some = features[:: max(1, len(features) // SAMPLE)].astype(np.float64)
    spread = some.std(axis=0)
    spread[spread <= 1e-6] = 1.0
    if not whitened:
        return Scaling(np.zeros(some.shape[1], np.float32), np.diag(1 / spread).astype(np.float32))
    centre = some.mean(axis=0)
    unit = (some - centre) / spread
    size, direction = np.linalg.eigh(unit.T @ unit / max(1, len(unit)))
    matrix = (direction / np.sqrt(np.maximum(size, 0) + FLOOR)) @ direction.T / spread[:, None]
    return Scaling(centre.astype(np.float32), matrix.astype(np.float32))
