"""metaeval: which automatic metric to trust, on your data, with honest uncertainty."""

__version__ = "0.1.0"
