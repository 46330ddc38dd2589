"""What an action does to a notebook: the registry and one small handler per action."""
