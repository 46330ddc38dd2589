"""Planner services over HTTP: connection, retries, dialects, credentials, records of calls."""
