"""How others talk to us: GTP, the JSON analysis protocol, matches."""
