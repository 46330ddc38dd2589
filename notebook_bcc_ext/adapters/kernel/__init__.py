"""The kernel that belongs to a notebook: found, started, talked to, looked into."""
