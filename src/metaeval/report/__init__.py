"""Turning a board into something to read: text for people, JSON for programs, tables for papers."""
