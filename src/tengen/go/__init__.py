"""What a game is: rules, positions, records."""
