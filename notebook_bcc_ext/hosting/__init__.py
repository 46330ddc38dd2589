"""Puts engine and adapters together: the same way for the command line and for the server."""
