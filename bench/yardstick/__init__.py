"""The yardstick: how long gtvmin and other ways to solve the same problem take, on one machine, in one run."""
