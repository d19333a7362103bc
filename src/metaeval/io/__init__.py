"""Reading and writing evaluation data: one module a format, each declaring a ``READER``."""
