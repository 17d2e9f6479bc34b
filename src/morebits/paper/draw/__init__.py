"""The drawings: each is a pure function of the JSON of its figure."""
