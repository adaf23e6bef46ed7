"""Inputs of one size: what a model's first layer is shown, whatever the sizes of a net's channels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.strength.windows import Floats, Rows

SAMPLE = 50_000  # rows to measure by, at least, where there are so many
FLOOR = 0.02  # added to the variance of every direction of inputs whose own variances are 1


class Scaling(NamedTuple):
    """(x - `centre`) @ `matrix`, for inputs x (n, d_x).

    Nothing but another start for the first layer's weights, into which it could be multiplied, but learning depends on
    it: gradients reach all of what is shown at one pace only if it is of one size.
    """

    centre: Floats
    matrix: Floats

    def of(self, x: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
        return np.asarray((x - self.centre) @ self.matrix)


def scaling_of(features: Rows, whitened: bool) -> Scaling:
    """Every input divided by its standard deviation; or whitened as well, turned until inputs are uncorrelated too.

    Whitening is for inputs that tell by their differences, as the trunk's vector at the move and the expected one do:
    they are much alike. `FLOOR` keeps what hardly varies from being blown up.
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
