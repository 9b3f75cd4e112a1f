"""The store of a study: one Zarr group, written chunk by chunk."""
