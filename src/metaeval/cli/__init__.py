"""The command line: one file a verb, which parses, calls, and prints."""
