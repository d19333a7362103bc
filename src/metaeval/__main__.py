"""``python -m metaeval``."""

from metaeval.cli.main import main

if __name__ == "__main__":
    main()
