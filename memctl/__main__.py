"""`python -m memctl` is the `memctl` command."""

from memctl.cli.main import main

if __name__ == "__main__":
    main()
