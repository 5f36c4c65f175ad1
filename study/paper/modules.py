# SPDX-License-Identifier: BSD-3-Clause
"""The papers by number. A module has NAME, `parts` (what is measured), `lines` (the page) and
`draw` (its pictures)."""

import importlib

NAMES = {1: "instructions", 2: "overhead", 3: "dart", 4: "hicoo", 5: "on_demand"}


def of(number):
    return importlib.import_module(f"paper.{NAMES[number]}")
