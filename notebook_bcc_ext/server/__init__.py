"""The Jupyter server extension: REST and WebSocket under `/notebook-bcc/api/`."""
