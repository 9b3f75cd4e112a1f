"""What times this package: guards of single kernels, and a comparison with its peers."""
