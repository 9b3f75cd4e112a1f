"""Say what a study will cost, and what is likely wrong with it, before it runs."""
