# SPDX-License-Identifier: BSD-3-Clause
"""What the parts of all pages need: the stage, the bench's programs and peers, and the options."""

import os

from driver import build, measure, peers
from driver.store import Store

from . import bands

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BENCH = os.path.join(ROOT, "bench")


class Context:
    """`others`: whether peers are measured; without them the page says so."""

    def __init__(self, args, say):
        self.args, self.say, self.quick, self.stage = args, say, args.quick, args.stage
        self.folder = args.build
        os.makedirs(self.folder, exist_ok=True)
        self.builder = build.Builder(BENCH, os.path.join(self.folder, "bench"), say)
        self.ours = peers.causeway(self.stage)

    def build(self, programs, baselines=()):
        with self.builder.lock():
            self.builder.baselines(baselines)
            self.builder.peer(self.ours, programs)

    def interleaved(self, groups, rounds):
        """Rows and remarks of the bench's groups of launches."""
        store = Store()
        measure.interleave(groups, rounds, store, self.say)
        remarks = [f"{who}: {why}" for who, why in store.failures.items()]
        remarks += [f"{tag} {program}: {why}"
                    for (tag, program), why in self.builder.missing.items()]
        return list(bands.compact(store)), remarks
