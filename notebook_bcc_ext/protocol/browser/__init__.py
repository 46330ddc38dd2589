"""What is said between the server and its browsers."""
