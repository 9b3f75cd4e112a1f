"""The page of a report: its elements, its sections and its style."""
