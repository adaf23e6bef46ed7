"""Teaching nets: recipes, data, optimisers, checkpoints and the loop. Needs the `train` extra (torch)."""
