#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes HTML of all pages in Markdown: guide, manual pages, decision records, measurements,
examples. pandoc converts each page; this script joins them with a table of pages, links and a
search that needs no server. Ends with a complaint if a link leads nowhere.

usage: gen_html.py [--output DIR] [PAGE...]
       PAGE   make these alone (paths from the root of the sources), for tests
"""

import argparse
import concurrent.futures
import html
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import gen_man_pages

ROOT = Path(__file__).resolve().parent.parent
PARTS = ROOT / "docs/html"
SECTIONS = (
    ("Causeway", ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md",
                  "SECURITY.md"]),
    ("Guide", ["docs/guide/*.md"]),
    ("Commands", ["docs/man/*.1.md"]),
    ("Overviews and formats", ["docs/man/*.[57].md"]),
    ("Functions", ["docs/man/*.3.md"]),
    ("Examples", ["examples/README.md", "examples/*/README.md"]),
    ("Measurements", ["bench/README.md", "docs/papers/README.md", "docs/papers/*.md",
                      "docs/bench/*.md", "docs/results/*.md",
                      "study/README.md"]),
    ("Tests", ["tests/README.md", "tests/*/README.md"]),
    ("History", ["docs/history/*.md"]),
    ("Design", ["docs/design/README.md", "docs/design/*.md"]),
    ("Decisions", ["docs/adr/README.md", "docs/adr/0*.md"]),
)
HREF = re.compile(r'(<(?:a|img)\b[^>]*? (?:href|src)=")([^"]+)(")')
REFERENCE = re.compile(r"<(strong|em)>([\w.+-]+)</\1>\((\d)\)")
TAG = re.compile(r"<[^>]+>")
HEADING = re.compile(r"<(h[1-6]|dt) id=\"([^\"]*)\"[^>]*>(.*?)</\1>", re.S)


def pages(chosen):
    """[(title of section, [path])] of the pages that there are."""
    found, seen = [], set()
    for title, patterns in SECTIONS:
        paths = [p.relative_to(ROOT).as_posix() for pattern in patterns
                 for p in sorted(ROOT.glob(pattern))]
        paths = [p for p in paths if p not in seen and (not chosen or p in chosen)]
        seen |= set(paths)
        if paths:
            found.append((title, paths))
    if missing := set(chosen) - seen:
        sys.exit(f"html: no such page: {', '.join(sorted(missing))}")
    return found


def is_manual(path):
    return path.startswith("docs/man/")


def converted(path):
    """Title and body of a page, as pandoc makes them."""
    form = "markdown" if is_manual(path) else "gfm"
    body = subprocess.run(("pandoc", f"--from={form}", "--to=html5", "--wrap=none", ROOT / path),
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    if is_manual(path):
        name, number, _ = Path(path).name.rsplit(".", 2)
        body = lowered(body if number == "3" else with_terms(body))
        return f"{name}({number})", f"<h1 id=\"page\">{name}({number})</h1>\n{body}"
    first = HEADING.search(body)
    return (plain(first[3]) if first else Path(path).stem), body


def lowered(body):
    """Headings of manual pages one level down: the page's name is the first."""
    return re.sub(r"(</?h)(\d)", lambda m: m[1] + str(min(int(m[2]) + 1, 6)), body)


def with_terms(body):
    """Options and variables, the terms of lists, are headings of the text that describes them."""
    seen = {}

    def named(match):
        name = "term-" + "-".join(re.findall(r"\w+", plain(match[1]).split(" (")[0]))
        seen[name] = seen.get(name, 0) + 1
        return f'<dt id="{name}{f"-{seen[name]}" if seen[name] > 1 else ""}">{match[1]}</dt>'
    return re.sub(r"<dt>(.*?)</dt>", named, body, flags=re.S)


def plain(text):
    return " ".join(html.unescape(TAG.sub("", text)).split())


def page_of_function():
    """{name(3): page} of all functions that have a page of their family."""
    with tempfile.TemporaryDirectory(prefix="causeway-html-") as folder:
        gen_man_pages.write_links(Path(folder), True)
        found = {}
        for path in Path(folder).iterdir():
            target = re.match(r"\.so man\d/(.*)\n", path.read_text(encoding="utf-8"))[1]
            found[path.name.removesuffix(".3")] = f"docs/man/{target}.md"
        return found


def target_of(path):
    return path.removesuffix(".md") + ".html"


class Site:
    def __init__(self, output, chosen):
        self.output, self.whole = output, not chosen
        self.sections = pages(chosen)
        self.names = {p for _, paths in self.sections for p in paths}
        self.functions = page_of_function()
        self.copied, self.complaints, self.anchors, self.links = set(), [], {}, []
        self.index = []

    def manual_of(self, name, number):
        page = f"docs/man/{name}.{number}.md"
        page = page if page in self.names else self.functions.get(name) if number == "3" else None
        return page if page in self.names else None

    def resolved(self, page, link):
        """The link as it is written into the HTML of the page."""
        if re.match(r"[a-z]+:", link) or link.startswith("#"):
            self.links.append((page, page, link[1:]) if link.startswith("#") else (page, None, ""))
            return link
        file, _, anchor = link.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), file))
        if (ROOT / path).is_dir() and (ROOT / path / "README.md").is_file():
            path += "/README.md"
        here = posixpath.dirname(page) or "."
        if path in self.names:
            self.links.append((page, path, anchor))
            return posixpath.relpath(target_of(path), here) + (f"#{anchor}" if anchor else "")
        source = ROOT / path
        if source.is_dir():
            self.copied.add(path)
            return posixpath.relpath(path + "/index.html", here)
        if source.is_file():
            self.copied.add(path)
        elif self.whole:
            self.complaints.append(f"{page}: {link} leads nowhere")
        return posixpath.relpath(path, here)

    def referenced(self, page, match):
        """**name**(3) as a link, where there is a page."""
        target = self.manual_of(match[2], match[3])
        if not target or target == page:
            return match[0]
        link = posixpath.relpath(target_of(target), posixpath.dirname(page) or ".")
        return f'<a class="ref" href="{link}">{match[0]}</a>'

    def finished(self, page, body):
        body = HREF.sub(lambda m: m[1] + html.escape(self.resolved(page, html.unescape(m[2])))
                        + m[3], body)
        body = REFERENCE.sub(lambda m: self.referenced(page, m), body)
        body = re.sub(r"(<table.*?</table>)", r'<div class="wide">\1</div>', body, flags=re.S)
        self.anchors[page] = set(re.findall(r' id="([^"]+)"', body))
        return body

    def entries(self, page, title, body):
        """What the search knows of a page: each heading with the text below it."""
        marks = [(m.start(), m[2], plain(m[3])) for m in HEADING.finditer(body)]
        marks = marks or [(0, "", title)]
        for i, (start, anchor, heading) in enumerate(marks):
            end = marks[i + 1][0] if i + 1 < len(marks) else len(body)
            text = plain(HEADING.sub("", body[start:end], 1))
            self.index.append([target_of(page), "" if i == 0 else anchor, title,
                               "" if i == 0 else heading, text])

    def navigation(self, page):
        here = posixpath.dirname(page) or "."
        out = []
        for title, paths in self.sections:
            rows = "".join(
                f'<li><a{" aria-current=page" if p == page else ""} '
                f'href="{posixpath.relpath(target_of(p), here)}">{html.escape(self.titles[p])}</a>'
                "</li>" for p in paths)
            out.append(f"<details{' open' if page in paths else ''}><summary>{title}</summary>"
                       f"<ul>{rows}</ul></details>")
        return "\n".join(out)

    def write(self, page, title, body, frame):
        path = self.output / target_of(page)
        path.parent.mkdir(parents=True, exist_ok=True)
        root = posixpath.relpath(".", posixpath.dirname(page) or ".")
        values = {"TITLE": html.escape(title), "ROOT": root, "SOURCE": page,
                  "NAVIGATION": self.navigation(page), "BODY": body}
        path.write_text(re.sub(r"@([A-Z]+)@", lambda m: values[m[1]], frame), encoding="utf-8")

    def copy(self):
        """Files that pages show or name; of a folder, the list of its files."""
        for path in sorted(self.copied):
            source, target = ROOT / path, self.output / path
            if source.is_dir():
                target.mkdir(parents=True, exist_ok=True)
                rows = "".join(f"<li>{html.escape(p.name)}</li>" for p in sorted(source.iterdir())
                               if p.name != "__pycache__")
                (target / "index.html").write_text(
                    f"<!DOCTYPE html><meta charset=utf-8><title>{path}</title>"
                    f"<h1>{path}</h1><ul>{rows}</ul>\n", encoding="utf-8")
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)

    def make(self):
        order = [p for _, paths in self.sections for p in paths]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            made = dict(zip(order, pool.map(converted, order)))
        self.titles = {page: title for page, (title, _) in made.items()}
        frame = (PARTS / "frame.html").read_text(encoding="utf-8")
        for page, (title, body) in made.items():
            body = self.finished(page, body)
            self.entries(page, title, body)
            self.write(page, title, body, frame)
        for page, target, anchor in self.links:
            if target and anchor and anchor not in self.anchors[target]:
                self.complaints.append(f"{page}: {target} has no #{anchor}")
        self.copy()
        functions = {name: target_of(page) for name, page in sorted(self.functions.items())
                     if page in self.names}
        (self.output / "index.js").write_text(
            "const PAGES = " + json.dumps(self.index, ensure_ascii=False, separators=(",", ":"))
            + ";\nconst FUNCTIONS = " + json.dumps(functions, separators=(",", ":")) + ";\n",
            encoding="utf-8")
        for name in ("style.css", "search.js"):
            shutil.copyfile(PARTS / name, self.output / name)
        first = target_of(order[0])
        (self.output / "index.html").write_text(
            f'<!DOCTYPE html><meta charset="utf-8"><title>Causeway</title>'
            f'<meta http-equiv="refresh" content="0; url={first}"><a href="{first}">Causeway</a>\n',
            encoding="utf-8")
        return len(order)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ", 1)[1])
    parser.add_argument("--output", type=Path, default=ROOT / "build/html")
    parser.add_argument("pages", nargs="*")
    options = parser.parse_args()
    if not shutil.which("pandoc"):
        sys.exit("html: pandoc is missing (Debian: pandoc)")
    marker = options.output / "made-by-gen-html"
    if options.output.exists() and not marker.exists():
        sys.exit(f"html: {options.output} was not made by this command, and is left as it is")
    shutil.rmtree(options.output, ignore_errors=True)
    options.output.mkdir(parents=True)
    marker.touch()
    site = Site(options.output, options.pages)
    count = site.make()
    for complaint in site.complaints:
        print(f"html: {complaint}")
    print(f"html: {count} pages in {options.output}/index.html")
    return 1 if site.complaints else 0


if __name__ == "__main__":
    sys.exit(main())
