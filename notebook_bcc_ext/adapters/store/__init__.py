"""SQLite: runs, and the operations on notebooks, in one file."""
