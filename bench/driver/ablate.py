# SPDX-License-Identifier: BSD-3-Clause
"""Switches one mechanism off and measures what that costs: the library as it is and the library
without the mechanism take turns in one run. Mechanisms are the entries of ../ablate.toml; most have
no setting, so their source is changed in a copy of the tree, which is built beside."""

import dataclasses
import shutil
import subprocess
import tomllib
from pathlib import Path

from . import build, measure, peers, plan
from .store import Store

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "bench/ablate.toml"
OFF = "off"  # tag of the library without the mechanism
MOVED = 0.05  # of a row's median
ROUNDS = 3  # fewer say nothing


@dataclasses.dataclass
class Mechanism:
    """One entry. files: globs of what would go with it; rows: bench groups that it may move; edit:
    (source, find, put) or nothing; env: settings that switch it off or make it smaller."""
    name: str
    says: str
    files: list
    rows: list
    edit: list = dataclasses.field(default_factory=list)
    env: dict = dataclasses.field(default_factory=dict)

    def lines(self):
        found = {path for pattern in self.files for path in ROOT.glob(pattern)}
        if not found:
            raise SystemExit(f"bench: {self.name}: {self.files} are no files")
        return sum(path.read_text(encoding="utf-8").count("\n") for path in found)


def mechanisms(names):
    """The entries with these names, or all."""
    entries = [Mechanism(**entry)
               for entry in tomllib.loads(TABLE.read_text(encoding="utf-8"))["mechanism"]]
    known = {entry.name: entry for entry in entries}
    for name in names:
        if name not in known:
            raise SystemExit(f"bench: --ablate {name}: no such mechanism; there are "
                             f"{', '.join(known)}")
    return [known[name] for name in names] if names else entries


class Tree:
    """A copy of the sources and its build. Only what an edit changes is compiled again."""

    def __init__(self, place, say):
        self.place, self.say = Path(place), say
        self.tree, self.stage = self.place / "tree", self.place / "stage"

    def _run(self, *words):
        done = subprocess.run([str(word) for word in words], cwd=self.tree, capture_output=True,
                              text=True, check=False)
        if done.returncode:
            raise SystemExit(f"bench: {' '.join(map(str, words[:3]))} failed:\n"
                             f"{(done.stdout + done.stderr)[-3000:]}")
        return done.stdout

    def refresh(self):
        """Copies what is new; the copy's times stay, so that ninja sees what changed."""
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT,
                                check=True, capture_output=True, text=True).stdout.split("\n")
        wanted = {name for name in listed if name and (ROOT / name).is_file()}
        for old in [p for p in self.tree.rglob("*") if p.is_file()] if self.tree.exists() else []:
            name = str(old.relative_to(self.tree))
            if name not in wanted and not name.startswith("build/"):
                old.unlink()
        for name in wanted:
            self._copy(name)

    def _copy(self, name):
        source, dest = ROOT / name, self.tree / name
        if dest.exists() and source.read_bytes() == dest.read_bytes():
            return
        dest.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, dest)

    def without(self, edit):
        """Builds and installs the library with this edit, then undoes it in the copy."""
        self.refresh()
        source, find, put = edit
        text = (self.tree / source).read_text(encoding="utf-8")
        if text.count(find) != 1:
            raise SystemExit(f"bench: {source} has {text.count(find)} times what an entry of "
                             f"{TABLE.name} replaces: {find!r}")
        (self.tree / source).write_text(text.replace(find, put), encoding="utf-8")
        made = self.tree / "build"
        if not (made / "build.ninja").exists():
            self.say("  configuring a copy of the tree")
            self._run("meson", "setup", made, "--prefix", self.stage, "--libdir", "lib",
                      "-Dtests=false", "-Dsimulator=false")
        self.say("  compiling it without the mechanism")
        self._run("ninja", "-C", made)
        self._run("meson", "install", "-C", made, "--no-rebuild", "--only-changed", "--quiet")
        return self.stage


def _programs(rows):
    """What the groups run; a group of a program's name runs it."""
    more = {"armci": ["armci"], "am": ["am", "startup"], "insn_gasnet":
            ["gasnet_calls", "gasnet_calls_par"], "insn_pgas": ["pgas_calls"],
            "busy": ["latency", "atomics"]}
    return sorted({program for row in rows for program in more.get(row, [row])})


def _in_turns(ours, off, builder, args, rows):
    """The groups of both libraries as one; without the baselines, which neither changes."""
    both = [plan.Plan(peer, [], builder, args.quick, rows, args.max_bytes).groups()
            for peer in (ours, off)]
    for (name, one), (_, other) in zip(*both, strict=True):
        runs = [make for pair in zip(one.runs, other.runs, strict=True) for make in pair
                if make().tag in (ours.tag, off.tag)]
        if runs:
            yield name, plan.Group(runs)


def moved(store, ours):
    """(row, pool with, pool without, ratio) of the rows that the mechanism moves: by more than
    MOVED, and no round of one library reaches a round of the other."""
    for (tag, *rest), pool in sorted(store.pools.items()):
        other = store.pools.get((OFF, *rest))
        if tag != ours.tag or not other or not pool.median:
            continue
        ratio = other.median / pool.median
        apart = max(pool.medians) < min(other.medians) or min(pool.medians) > max(other.medians)
        if abs(ratio - 1) > MOVED and apart:
            layout, bench, op, nbytes, npes = rest
            yield (f"{bench} {op} {nbytes} B, {layout}, {npes} PEs", pool, other, ratio)


def _one(mechanism, ours, tree, builder, args, say):
    rows = args.only or mechanism.rows
    stage = tree.without(mechanism.edit) if mechanism.edit else args.stage
    off = peers.causeway(str(stage))
    off.tag, off.env = OFF, mechanism.env
    with builder.lock():
        for peer in (ours, off):
            builder.peer(peer, _programs(rows))
    store = Store()
    measure.interleave(list(_in_turns(ours, off, builder, args, rows)),
                       args.rounds or ROUNDS, store, say)
    for what, why in store.failures.items():
        say(f"remark: {what}: {why}")
    return list(moved(store, ours)), len(store.pools) // 2


def main(args, say):
    """Prints for each mechanism the rows that it moves."""
    for name in ("against", "json", "plots", "report", "note", "from_json"):
        if getattr(args, name):
            raise SystemExit(f"bench: --ablate goes without --{name.replace('_', '-')}")
    if "dart" in (args.only or ()):
        raise SystemExit("bench: --only dart has a page of its own, without --ablate")
    ours = peers.causeway(args.stage)
    place = ROOT / "build/bench"
    builder = build.Builder(str(ROOT / "bench"), str(place), say)
    tree = Tree(place / "ablate", say)
    text = []
    for mechanism in mechanisms(args.ablate):
        say(f"{mechanism.name}: {mechanism.says}")
        rows, seen = _one(mechanism, ours, tree, builder, args, say)
        text.append(f"{mechanism.name}, {mechanism.lines()} lines: moves {len(rows)} of {seen} rows"
                    f" ({mechanism.says})")
        for row, on, without, ratio in rows:
            text.append(f"    {row}: {on.median:.4g} {on.unit}, without {without.median:.4g} "
                        f"(× {ratio:.2f})")
        say("")
    say("\n".join(text))
    return 0 if text else 1
