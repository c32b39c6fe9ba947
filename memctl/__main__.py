"""`python -m memctl` is the `memctl` command."""

from memctl.entry import main

if __name__ == "__main__":
    main()
