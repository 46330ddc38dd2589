"""What can be set: names, layers, where they come from, and what is a secret."""
