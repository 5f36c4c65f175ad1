# SPDX-License-Identifier: BSD-3-Clause
"""Draws the pictures of a page: python3 -m paper.figures RESULTS.json DIR (needs matplotlib)."""

import sys

from driver.plots import Drawer

from . import modules
from .document import Document


def main():
    document = Document.read(sys.argv[1])
    drawer = Drawer({"others": []}, None, sys.argv[2])
    modules.of(document.data["number"]).draw(drawer, document)
    print("\n".join(drawer.written))


if __name__ == "__main__":
    main()
