# SPDX-License-Identifier: BSD-3-Clause
"""Stores the measurements. Rounds of one measurement are pooled by their sample quantiles, each
round with equal weight."""

import statistics

SAMPLES_PER_ROUND = 201


def _quantile(values, q):
    pos = q * (len(values) - 1)
    low = int(pos)
    high = min(low + 1, len(values) - 1)
    return values[low] + (pos - low) * (values[high] - values[low])


class Pool:
    """All rounds of one measurement of one peer."""

    def __init__(self, unit):
        self.unit, self.samples, self.count, self.medians = unit, [], 0, []
        self.low, self.high = float("inf"), float("-inf")

    def add(self, record):
        self.samples = sorted(self.samples + (record.get("samples") or [record["median"]]))
        self.count += record.get("n", 1)
        self.medians.append(record["median"])
        self.low = min(self.low, record.get("min", record["median"]))
        self.high = max(self.high, record.get("max", record["median"]))

    def quantile(self, q):
        return _quantile(self.samples, q)

    @property
    def median(self):
        return statistics.median(self.samples)

    def interval(self):
        """In which the median of all there could be is with 95 % certainty, by ranks."""
        half = min(0.5, 0.98 / self.count**0.5)
        return self.quantile(0.5 - half), self.quantile(0.5 + half)

    @property
    def p10(self):
        return self.quantile(0.1)

    @property
    def p90(self):
        return self.quantile(0.9)


class Store:
    """Pools by (peer tag, layout, bench, op, bytes, npes); failures by (peer, layout, title)."""

    def __init__(self):
        self.pools = {}
        self.failures = {}

    def add(self, tag, layout, npes, record):
        key = (tag, layout, record["bench"], record["op"], record["bytes"], npes)
        self.pools.setdefault(key, Pool(record["unit"])).add(record)

    def get(self, tag, layout, bench, op, nbytes=8, npes=2):
        return self.pools.get((tag, layout, bench, op, nbytes, npes))

    def sizes(self, tag, layout, bench, op, npes=2):
        return sorted(k[4] for k in self.pools
                      if k[:4] == (tag, layout, bench, op) and k[5] == npes)

    def counts(self, tag, layout, bench, op, nbytes=0):
        """The numbers of PEs for which this was measured."""
        return sorted(k[5] for k in self.pools if k[:5] == (tag, layout, bench, op, nbytes))

    def rows(self):
        for (tag, layout, bench, op, nbytes, npes), pool in sorted(self.pools.items()):
            yield {
                "peer": tag, "layout": layout, "bench": bench, "op": op, "bytes": nbytes,
                "npes": npes, "unit": pool.unit, "median": pool.median, "p10": pool.p10,
                "p90": pool.p90, "min": pool.low, "max": pool.high, "n": pool.count,
                "rounds": len(pool.medians), "medians": pool.medians, "samples": pool.samples,
            }

    @classmethod
    def from_rows(cls, rows):
        store = cls()
        for row in rows:
            pool = Pool(row["unit"])
            pool.samples, pool.count, pool.medians = row["samples"], row["n"], row["medians"]
            pool.low, pool.high = row["min"], row["max"]
            store.pools[row["peer"], row["layout"], row["bench"], row["op"], row["bytes"],
                        row["npes"]] = pool
        return store
