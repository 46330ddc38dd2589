"""A notebook that a run writes: through the contents manager, or a shared document."""
