"""Adapters from the libraries of each field to one shape: segments in, an array of scores out."""
