"""What is changed of Jupyter at run time."""
