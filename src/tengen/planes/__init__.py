"""What a net sees: named encodings of a position."""
