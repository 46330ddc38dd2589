"""The wire vocabulary: what planners, browsers and files say, as pydantic models.

`spelling` is the only place that knows other spellings than the canonical ones.
"""
