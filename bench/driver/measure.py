# SPDX-License-Identifier: BSD-3-Clause
"""Runs one program and reads its JSON lines. A run that fails or hangs is a remark in the table and
does not end the bench."""

import contextlib
import json
import os
import select
import signal
import subprocess
import tempfile
import time


class Run:
    """One launch: peer, layout, program. `records` are its lines, `error` is None or a sentence."""

    def __init__(self, tag, layout, npes, title, command, env, timeout=90, wall=False, bench=None,
                 loops=0):
        self.tag, self.layout, self.npes, self.title = tag, layout, npes, title
        self.command, self.env, self.timeout, self.wall = command, env, timeout, wall
        self.bench = bench  # overrides the name the program gives its lines
        self.loops = loops  # processes that compute beside it
        self.records, self.error, self.seconds = [], None, 0.0

    def as_baseline(self):
        """Another front end of Causeway, with which something is compared."""
        self.tag = "baseline"
        return self

    def execute(self):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            start = time.monotonic()
            try:
                child = subprocess.Popen(self._words(), stdin=subprocess.DEVNULL, stdout=out,
                                         stderr=err, env=self.env, start_new_session=True)
            except OSError as problem:
                self.error = str(problem)
                return self
            try:
                status = self._wait(child)
            except subprocess.TimeoutExpired:
                self._kill(child)
                status = f"no end after {self.timeout} s"
            if self.loops:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
            self.seconds = time.monotonic() - start
            out.seek(0)
            err.seek(0)
            self._parse(out.read().decode(errors="replace"),
                        err.read().decode(errors="replace"), status)
        return self

    def _words(self):
        """The loops are of the program's session: kernels that give each session a share of the
        processors would hold others apart from it."""
        if not self.loops:
            return self.command
        loop = "(while :; do :; done) & "
        return ["/bin/sh", "-c", f'{loop * self.loops}exec "$@"', "sh", *self.command]

    def _wait(self, child):
        """wait(timeout) polls at intervals that double, which would round every wall time up to a
        power of two."""
        fd = os.pidfd_open(child.pid)
        try:
            select.select([fd], [], [], self.timeout)
        finally:
            os.close(fd)
        return child.wait(0)

    @staticmethod
    def _kill(child):
        for sig in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(child.pid, sig)
                child.wait(3)
                return
            except subprocess.TimeoutExpired:
                continue
            except ProcessLookupError:
                return

    def _parse(self, out, err, status):
        if self.wall:
            hellos = sum(line.startswith("hello from") for line in out.splitlines())
            if status == 0 and hellos == self.npes:
                self.records = [{
                    "bench": self.bench or "startup", "op": "wall", "bytes": 0, "unit": "ms",
                    "median": self.seconds * 1e3
                }]
                return
            self.error = self._sentence(
                status, err) if status != 0 else f"{hellos} of {self.npes} said hello"
            return
        for line in out.splitlines():
            if line.startswith("{"):
                try:
                    record = json.loads(line)
                    self.records.append({**record, "bench": self.bench or record["bench"]})
                except ValueError:
                    self.error = f"unreadable line: {line[:60]}"
        if status != 0:
            self.error = self._sentence(status, err or out)
        elif not self.records and not self.error:
            skip = [line for line in out.splitlines() if line.startswith("SKIP")]
            self.error = skip[0] if skip else "printed no result"

    @staticmethod
    def _sentence(status, err):
        lines = [line.strip() for line in err.splitlines() if line.strip(" -\t")]
        what = status if isinstance(status, str) else f"status {status}"
        return f"{what}: {lines[0][:160]}" if lines else what


def interleave(groups, rounds, store, say, minutes=float("inf")):
    """Round by round, peer after peer (A B A B), so that noise of the machine affects all of them
    alike. No group is begun behind so many minutes."""
    end, left = time.monotonic() + 60 * minutes, []
    for name, group in groups:
        if time.monotonic() >= end:
            left.append(name)
            continue
        given_up = set()
        for number in range(group.rounds or rounds):
            for make in group.runs:
                run = make()
                who = (run.tag, run.layout, run.npes, run.title)
                if who in given_up:
                    continue
                run.execute()
                for record in run.records:
                    store.add(run.tag, run.layout, run.npes, record)
                if run.error:
                    store.failures[f"{run.tag} {run.layout} {run.title} n={run.npes}"] = run.error
                    given_up.add(who)
                tail = f"{len(run.records)} results"
                if run.error and run.records and run.tag not in ("causeway", "baseline"):
                    tail += f", then its own fault: {run.error}"
                elif run.error:
                    tail = f"FAILED: {run.error}"
                say(f"  {run.title:22} {run.layout:6} n={run.npes:<4} {run.tag:10} round "
                    f"{number + 1}: "
                    f"{run.seconds:6.2f} s, {tail}")
    for name in dict.fromkeys(left):
        store.failures[name] = (f"{left.count(name)} groups were not begun within "
                                f"{minutes:g} minutes")
