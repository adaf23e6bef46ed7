"""Named encodings of a position: what a net sees."""

from tengen.planes.encode import Examples, Inputs, encode, encode_inputs, encode_records
from tengen.planes.encoding import Channel, Encoding, encoding, encoding_names

__all__ = [
    "Channel",
    "Encoding",
    "Examples",
    "Inputs",
    "encode",
    "encode_inputs",
    "encode_records",
    "encoding",
    "encoding_names",
]
