"""One module a check: what it asks, when it is serious, and what to do."""
