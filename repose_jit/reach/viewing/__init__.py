"""The viewer: what is shown as plain arrays and text, and the one room that knows viser."""
