"""Named encodings of a position: what a net sees."""

from tengen.planes.encode import Examples, Inputs, encode, encode_inputs, encode_records
from tengen.planes.encoding import Channel, Encoding, encoding, encoding_names
from tengen.planes.globals import encode_globals, encode_record_globals, global_channels, white_to_move

__all__ = [
    "Channel",
    "Encoding",
    "Examples",
    "Inputs",
    "encode",
    "encode_globals",
    "encode_inputs",
    "encode_record_globals",
    "encode_records",
    "encoding",
    "encoding_names",
    "global_channels",
    "white_to_move",
]
