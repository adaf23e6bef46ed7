"""KataGo's nets that `tengen nets pull` can bring."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownNet:
    """A KataGo net that a wheel of the PyPI package `katrain` carries under `katrain/models/`."""

    net: str
    katrain: str
    sha256: str
    about: str


KNOWN: dict[str, KnownNet] = {
    "b15c192": KnownNet(
        "g170e-b15c192-s1672170752-d466197061",
        "1.0.6",
        "1579a64e6190c3a8d73eeb96feb4dee1879f9e5e114279b15d6c56dbab3b0f78",
        "15 blocks of 192 channels, 2020",
    ),
    "b18c384nbt": KnownNet(
        "kata1-b18c384nbt-s9996604416-d4316597426",
        "1.15.0",
        "9d7a6afed8ff5b74894727e156f04f0cd36060a24824892008fbb6e0cba51f1d",
        "18 nested bottleneck blocks of 384 channels, 2024",
    ),
    "b18c384nbt-thesis": KnownNet(
        "kata1-b18c384nbt-s6582191360-d3422816034",
        "1.14.0",
        "7e7746ee26863763a5b4a1f0faaa36526a06b7673449762d016772aae84d64d4",
        "the net of the strength estimation thesis, 2023",
    ),
    "b10c384h6nbttflrs": KnownNet(
        "b10c384h6nbttflrs",
        "1.19.0",
        "0ba27eced5180b3e3d0b898b280c541112989765e789d1eb6cd0d31b2b2c1229",
        "10 blocks of convolution and attention",
    ),
}
