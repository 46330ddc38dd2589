"""`jupyter bcc` on the command line."""
