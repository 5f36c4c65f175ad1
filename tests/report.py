# SPDX-License-Identifier: BSD-3-Clause
"""The output of a test run: progress, failures, the summary, JUnit's XML."""

import re
import sys
import threading
import time
import xml.etree.ElementTree as xml

OUTPUT_SHOWN = 30000  # characters of a failing test's output that are shown, from both ends
NOT_XML = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def shorten(text):
    if len(text) <= OUTPUT_SHOWN:
        return text
    half = OUTPUT_SHOWN // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters ...]\n{text[-half:]}"


class Report:
    def __init__(self, total, verbose):
        self.total, self.verbose = total, verbose
        self.results = []
        self.lock = threading.Lock()
        self.tty = sys.stdout.isatty()
        self.start = self.last_note = time.monotonic()

    def add(self, result):
        with self.lock:
            self.results.append(result)
            self.clear()
            if result.verdict == "FAIL":
                print(f"FAIL {result.case.ident} ({result.seconds:.1f} s): {result.reason}")
                print(shorten(result.output).rstrip("\n") + "\n", flush=True)
            elif self.verbose:
                tail = f": {result.reason}" if result.reason else ""
                print(f"{result.verdict} {result.case.ident} ({result.seconds:.1f} s){tail}",
                      flush=True)
            self.progress()

    def clear(self):
        if self.tty:
            print("\r\033[K", end="")

    def progress(self):
        done, failed = len(self.results), self.count("FAIL")
        text = f"{done}/{self.total} tests" + (f", {failed} failed" if failed else "")
        if self.tty:
            print(text, end="", flush=True)
        elif not self.verbose and time.monotonic() - self.last_note > 20:
            self.last_note = time.monotonic()
            print(text, flush=True)

    def count(self, verdict):
        return sum(r.verdict == verdict for r in self.results)

    def by_room(self):
        """[(room, results, {verdict: count}, seconds)]"""
        rooms = {}
        for r in self.results:
            rooms.setdefault(r.case.room.name, []).append(r)
        return [(room, results,
                 {v: sum(r.verdict == v for r in results) for v in ("PASS", "FAIL", "SKIP")},
                 sum(r.seconds for r in results)) for room, results in sorted(rooms.items())]

    def durations(self, most, programs, compiled_for):
        """The slowest cases, and where the time went."""
        print(f"the {min(most, len(self.results))} slowest cases:")
        for r in sorted(self.results, key=lambda r: -r.seconds)[:most]:
            print(f"  {r.seconds:>7.1f} s {r.case.ident}")
        seconds = sum(r.seconds for r in self.results)
        print(f"{time.monotonic() - self.start:.1f} s in all: cases {seconds:.1f} s, "
              f"{programs} programs compiled {compiled_for:.1f} s")

    def summary(self, interrupted=False):
        self.clear()
        if interrupted:
            print(f"interrupted after {len(self.results)} of {self.total} tests")
        for room, _, count, seconds in self.by_room():
            print(f"  {room:<14} {count['PASS']:>4} passed {count['FAIL']:>3} failed"
                  f" {count['SKIP']:>3} skipped {seconds:>7.1f} s")
        skipped = {}
        for r in self.results:
            if r.verdict == "SKIP":
                skipped.setdefault(r.reason, []).append(r.case.ident)
        for reason, idents in sorted(skipped.items()):
            more = f" and {len(idents) - 3} more" if len(idents) > 3 else ""
            print(f"  skipped, {reason}: {', '.join(idents[:3])}{more}")
        for r in self.results:
            if r.verdict == "FAIL":
                print(f"  failed: {r.case.ident}: {r.reason}")
        skips = f", {self.count('SKIP')} skipped" if self.count("SKIP") else ""
        failed = self.count("FAIL") + interrupted  # an interrupted run has not passed
        print(f"{self.count('PASS')} passed, {failed} failed{skips}", flush=True)
        return 1 if failed or not self.count("PASS") else 0

    def junit(self, path, interrupted=False):
        """A suite for each room; an interrupted run is an error of its own."""
        root = xml.Element("testsuites", name="causeway", tests=str(len(self.results)),
                           failures=str(self.count("FAIL")), errors=str(int(interrupted)),
                           skipped=str(self.count("SKIP")),
                           time=f"{time.monotonic() - self.start:.3f}")
        for room, results, count, seconds in self.by_room():
            suite = xml.SubElement(root, "testsuite", name=room, tests=str(len(results)),
                                   failures=str(count["FAIL"]), errors="0",
                                   skipped=str(count["SKIP"]), time=f"{seconds:.3f}")
            for r in results:
                self.junit_case(suite, room, r)
        if interrupted:
            suite = xml.SubElement(root, "testsuite", name="run", tests="1", failures="0",
                                   errors="1")
            case = xml.SubElement(suite, "testcase", classname="run", name="whole")
            text = f"interrupted after {len(self.results)} of {self.total} tests"
            xml.SubElement(case, "error", message=text)
        xml.indent(root)
        xml.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)

    @staticmethod
    def junit_case(suite, room, result):
        case = xml.SubElement(suite, "testcase", classname=room,
                              name=result.case.ident.partition("/")[2],
                              time=f"{result.seconds:.3f}")
        reason = NOT_XML.sub("?", result.reason)
        if result.verdict == "SKIP":
            xml.SubElement(case, "skipped", message=reason)
        elif result.verdict == "FAIL":
            failure = xml.SubElement(case, "failure", message=reason)
            failure.text = NOT_XML.sub("?", shorten(result.output))
