"""Drives the state machine through the ports."""
