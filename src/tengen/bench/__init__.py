"""How fast this machine runs Tengen, each figure beside a peer measured in the same run."""
