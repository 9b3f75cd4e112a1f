"""Run a study on threads, Dask workers, or as one shard of many."""
