"""Check a store with kinematics that share no code with the solver."""
