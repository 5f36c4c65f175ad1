# SPDX-License-Identifier: BSD-3-Clause
"""One paper's results: parts with their rows and the load that each met, in a JSON file beside the
page, one row a line."""

import json
import os

FORMAT, VERSION = "causeway-paper", 1


class Document:
    def __init__(self, number, name, conditions):
        self.data = {"format": FORMAT, "version": VERSION, "number": number, "name": name,
                     "quick": False, "conditions": conditions, "seconds": 0.0, "parts": {}}

    @classmethod
    def read(cls, path):
        document = cls(0, "", {})
        with open(path, encoding="utf-8") as file:
            document.data = json.load(file)
        if (document.data.get("format"), document.data.get("version")) != (FORMAT, VERSION):
            raise SystemExit(f"papers: {path} is no result of ./dev papers (version {VERSION})")
        return document

    def part(self, name):
        """Its record; without rows if it was not measured."""
        return self.data["parts"].get(name, {"rows": [], "remarks": []})

    def rows(self, name, **key):
        return [row for row in self.part(name)["rows"]
                if "error" not in row and all(row.get(k) == v for k, v in key.items())]

    # what the modules of the start-up study ask a document for
    def section(self, name):
        return self.data["parts"].get(name)

    def write(self, path):
        parts = []
        for name, part in self.data["parts"].items():
            rest = json.dumps({k: v for k, v in part.items() if k != "rows"})[:-1]
            rows = ",\n    ".join(json.dumps(row) for row in part["rows"])
            parts.append(f"  {json.dumps(name)}: {rest}, \"rows\": [\n    {rows}\n  ]}}")
        rest = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in self.data.items() if k != "parts"]
        text = ",\n".join([*rest, '"parts": {\n' + ",\n".join(parts) + "\n}"])
        new = f"{path}.new"
        with open(new, "w", encoding="utf-8") as file:
            file.write("{\n" + text + "\n}\n")
        os.replace(new, path)
