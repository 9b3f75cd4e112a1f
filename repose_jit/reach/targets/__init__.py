"""What a study aims at: sites and orientations, and the poses they make."""
