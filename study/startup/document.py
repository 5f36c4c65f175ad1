# SPDX-License-Identifier: BSD-3-Clause
"""The study's JSON file: sections with their conditions and rows. Written after every launch, so
that an interrupted study continues where it stopped."""

import json
import os
import time

FORMAT, VERSION = "causeway-startup-study", 1


def load_average():
    try:
        with open("/proc/loadavg", encoding="ascii") as file:
            return float(file.read().split()[0])
    except OSError:
        return None


class Document:
    def __init__(self, path):
        self.path = path
        self.data = {"format": FORMAT, "version": VERSION, "final": False, "sections": {}}
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.data = json.load(file)
            if self.data.get("format") != FORMAT or self.data.get("version") != VERSION:
                raise SystemExit(
                    f"{path} is no result of this study (version {VERSION}); give another --json")

    def section(self, name):
        return self.data["sections"].get(name)

    def is_done(self, name, quick):
        """Measured to the end, and in the form that is asked for."""
        section = self.section(name)
        return bool(section) and section["done"] and section["quick"] == quick

    def begin(self, name, quick, conditions):
        section = self.section(name)
        if section and not section["done"] and section["quick"] == quick:
            return section  # continue this section
        section = {
            "done": False, "quick": quick,
            "conditions": {**conditions, "load_before": load_average()}, "seconds": 0.0, "rows": [],
            "remarks": []
        }
        self.data["sections"][name] = section
        self.save()
        return section

    def has(self, section, key):
        return any(all(row.get(k) == v for k, v in key.items()) for row in section["rows"])

    def add(self, section, row, seconds):
        section["rows"].append(row)
        section["seconds"] = round(section["seconds"] + seconds, 2)
        self.save()

    def end(self, section):
        section["done"] = True
        section["conditions"]["load_after"] = load_average()
        section["conditions"]["ended"] = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
        self.save()

    def save(self):
        os.makedirs(os.path.dirname(os.path.abspath(self.path)), exist_ok=True)
        new = self.path + ".new"
        with open(new, "w", encoding="utf-8") as file:
            file.write("{\n" + ",\n".join(f"{json.dumps(k)}: {v}"
                                          for k, v in self._parts()) + "\n}\n")
        os.replace(new, self.path)

    def _parts(self):
        """One row a line: a change of one figure is a change of one line."""
        for key, value in self.data.items():
            if key != "sections":
                yield key, json.dumps(value)
        texts = []
        for name, section in self.data["sections"].items():
            rest = {k: v for k, v in section.items() if k != "rows"}
            rows = ",\n    ".join(json.dumps(row) for row in section["rows"])
            texts.append(
                f"  {json.dumps(name)}: {json.dumps(rest)[:-1]}, \"rows\": [\n    {rows}\n  ]}}")
        yield "sections", "{\n" + ",\n".join(texts) + "\n}"
