"""What the command line can do, a module a verb: each adds its arguments to a parser, and runs."""
