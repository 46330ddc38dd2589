"""What is said between this product and a planner."""
