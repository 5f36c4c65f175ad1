# SPDX-License-Identifier: BSD-3-Clause
"""One launch of a job, by any launcher: wall time, processor time, output, and the library's
statistics."""

import json
import os
import re
import select
import statistics
import tempfile

from driver.measure import Run

OPEN_MPI_ENV = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    # With its memory hooks Debian 12's build crashes in shmem_finalize; without them it ends in
    # order.
    "OMPI_MCA_opal_common_ucx_opal_mem_hooks": "0",
    "PRTE_ALLOW_RUN_AS_ROOT": "1",
    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}


def _own_cpu(pid):
    """Processor seconds of a process that has ended but was not waited for, without its children.
    None: unknown."""
    try:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[0]) / 1e9
    except (OSError, ValueError, IndexError):
        return None


class Job(Run):
    """`seconds` is wall time, `cpu` the processor seconds of launcher and PEs, `launcher_cpu` those
    of the launcher alone, `init_us` what each PE said of its shmem_init, `pes` the records of
    CAUSEWAY_STATS."""

    def __init__(self, command, npes, env=None, timeout=120, stats=False):
        full = {
            **{k: v
               for k, v in os.environ.items() if not k.startswith(("CAUSEWAY_", "SHMEM_"))},
            **(env or {})
        }
        if "CAUSEWAY_LIBFABRIC" in os.environ:
            full["CAUSEWAY_LIBFABRIC"] = os.environ["CAUSEWAY_LIBFABRIC"]
        super().__init__("job", "", npes, "", command, full, timeout)
        self.stats, self.pes, self.cpu, self.launcher_cpu, self.out = stats, [], 0.0, None, ""
        self.init_us = []

    def execute(self):
        if not self.stats:
            return super().execute()
        with tempfile.TemporaryDirectory(prefix="startup-") as folder:
            path = os.path.join(folder, "stats.json")
            self.env["CAUSEWAY_STATS"] = f"json:{path}"
            super().execute()
            if not self.error:
                self._read(path)
        return self

    def _read(self, path):
        try:
            with open(path, encoding="utf-8") as file:
                self.pes = json.load(file)["pes"]
        except (OSError, ValueError) as problem:
            self.error = f"statistics: {problem}"
        if not self.error and len(self.pes) != self.npes:
            self.error = f"statistics of {len(self.pes)} PEs instead of {self.npes}"

    def _wait(self, child):
        fd = os.pidfd_open(child.pid)
        try:
            if not select.select([fd], [], [], self.timeout)[0]:
                return child.wait(0)  # raises what execute() expects
        finally:
            os.close(fd)
        self.launcher_cpu = _own_cpu(child.pid)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.cpu = usage.ru_utime + usage.ru_stime
        return child.returncode

    def _parse(self, out, err, status):
        self.out = out
        if status != 0:
            self.error = self._sentence(status, err or out)

    # ------------------------------------------------------------ what is expected of the output
    def hellos(self):
        """Every PE printed its line, and all belong to one job."""
        said = re.findall(rf"^hello from \d+ of {self.npes}(?:, (\S+) ms in shmem_init)?$",
                          self.out, re.MULTILINE)
        self.init_us = [float(ms) * 1e3 for ms in said if ms]
        if not self.error and len(said) != self.npes:
            self.error = f"{len(said)} of {self.npes} said hello to a job of that size"
        return self

    def verified(self):
        """The program's own RESULT line confirms it."""
        if not self.error and not re.search(r"^RESULT .*\bverified=yes\b", self.out, re.MULTILINE):
            self.error = "not verified"
        return self

    def lines(self):
        """The bench's JSON lines, by operation."""
        found = {}
        for line in self.out.splitlines():
            if line.startswith("{"):
                record = json.loads(line)
                found[record["op"], record["bytes"]] = record
        return found

    # ------------------------------------------------------------ of the statistics
    def field(self, *path):
        """Of every PE, the figure at that path; absent counts as 0."""
        values = []
        for pe in self.pes:
            value = pe
            for name in path:
                value = value.get(name, 0) if isinstance(value, dict) else 0
            values.append(value)
        return values

    def figures(self):
        """What the study keeps of the statistics."""
        if not self.pes:
            return {}
        init = [sum(v for k, v in pe.get("startup_us", {}).items()) for pe in self.pes]
        out = {
            "init_us":
                spread(self.field("startup", "init_us") if "startup" in self.pes[0] else init)
        }
        for name in ("connections", "peers_touched", "endpoints", "rss_bytes"):
            out[name] = spread(self.field(name))
        out["served"] = spread(self.field("served", "connections"))
        phases = self.pes[0].get("startup", {})
        out["phases"] = {
            name: spread(self.field("startup", name))
            for name in phases if name.endswith("_us")
        }
        for name in ("exchange", "fabric"):
            words = self.field("startup", name)
            out[name] = {
                word: words.count(word)
                for word in sorted(set(map(str, words))) if word != "0"
            }
        return out


def spread(values):
    """Median with its spread, and the sum: enough for figures and limits, small in the file."""
    values = sorted(values)
    return {
        "median": statistics.median(values), "min": values[0], "max": values[-1],
        "sum": round(sum(values), 3)
    }
