"""From progress, kernel and notebook to what the planner is told."""
