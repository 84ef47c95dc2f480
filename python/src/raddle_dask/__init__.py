"""Runs one search of raddle on many machines, with Dask."""

__version__ = "0.1.0"
