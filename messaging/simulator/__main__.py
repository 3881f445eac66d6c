"""Runs the simulator by itself: `python -m messaging.simulator`."""

from __future__ import annotations

from argparse import ArgumentParser

from messaging.simulator.command import add_arguments, options_from
from messaging.simulator.serving import run


def main() -> None:
    parser = ArgumentParser(prog="simulator", description="A strict stand-in for WhatsApp's Cloud API.")
    add_arguments(parser)
    run(options_from(vars(parser.parse_args())))


if __name__ == "__main__":
    main()
