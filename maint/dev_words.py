#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Refuses words of a ./dev command that its script does not know, and names the nearest one, before
anything is installed or built: runs the script up to where it has read its command line.

usage: dev_words.py COMMAND SCRIPT [word...]
"""

import argparse
import difflib
import re
import runpy
import sys
import unittest.mock
from pathlib import Path

COMMAND, SCRIPT = sys.argv[1:3]
parse = argparse.ArgumentParser.parse_args


def nearest(word, known):
    found = difflib.get_close_matches(word.lstrip("-"), [name.lstrip("-") for name in known], 1)
    return next((f"; did you mean {name}?" for name in known if name.lstrip("-") in found), "")


def with_nearest(parser, message):
    """Of an option that is none, or a value that is no choice."""
    if word := re.search(r"unrecognized arguments: (\S+)", message):
        return message + nearest(word[1].split("=")[0], [
            option for action in parser._actions for option in action.option_strings
            if action.help is not argparse.SUPPRESS])
    if word := re.search(r"invalid choice: '(\S+)'(?= \(choose)", message):
        near = nearest(word[1], [str(choice) for action in parser._actions
                                 for choice in action.choices or ()])
        return message[:word.end()] + near if near else message
    return message


def refuse(parser, message):
    sys.exit(f"dev: {COMMAND}: {with_nearest(parser, message)} (./dev {COMMAND} --help lists all)")


def parse_and_end(self, *arguments, **named):
    parse(self, *arguments, **named)
    sys.exit(0)


argparse.ArgumentParser.error = refuse
argparse.ArgumentParser.parse_args = parse_and_end
sys.argv = sys.argv[2:]
sys.path[0] = str(Path(SCRIPT).resolve().parent)
sys.dont_write_bytecode = True
for name in ("numpy", "matplotlib", "matplotlib.pyplot"):  # maybe not installed yet
    sys.modules[name] = unittest.mock.MagicMock()
runpy.run_path(SCRIPT, run_name="__main__")
