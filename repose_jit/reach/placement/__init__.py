"""Where to put the base of a robot so that it reaches a task."""
