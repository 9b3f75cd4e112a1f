"""Write a map for other programs."""
