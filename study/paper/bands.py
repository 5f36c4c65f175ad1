# SPDX-License-Identifier: BSD-3-Clause
"""What pages keep of the bench's measurements: some quantiles of each in place of all samples. A
Band answers as the bench's Pool does."""

from driver.store import Pool, Store

QUANTILES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)


def compact(store):
    """Rows for a document."""
    for row in store.rows():
        pool = store.pools[row["peer"], row["layout"], row["bench"], row["op"], row["bytes"],
                           row["npes"]]
        kept = {key: row[key] for key in ("peer", "layout", "bench", "op", "bytes", "npes", "unit",
                                          "n", "min", "max", "medians")}
        yield {**kept, "q": [float(f"{pool.quantile(q):.5g}") for q in QUANTILES]}


class Band(Pool):
    def __init__(self, row):
        super().__init__(row["unit"])
        self.count, self.medians, self.q = row["n"], row["medians"], row["q"]
        self.low, self.high = row["min"], row["max"]

    def quantile(self, q):
        return self.q[QUANTILES.index(q)]

    @property
    def median(self):
        return self.quantile(0.5)

    def box(self, scale, label):
        """As matplotlib's bxp takes it: quartiles, and 5 % to 95 %."""
        low, first, middle, third, high = (self.quantile(q) * scale
                                           for q in (0.05, 0.25, 0.5, 0.75, 0.95))
        return {"whislo": low, "q1": first, "med": middle, "q3": third, "whishi": high,
                "label": label}


def table(rows):
    """A store of bands."""
    store = Store()
    for row in rows:
        store.pools[row["peer"], row["layout"], row["bench"], row["op"], row["bytes"],
                    row["npes"]] = Band(row)
    return store
