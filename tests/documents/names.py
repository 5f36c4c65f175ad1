#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Options, variables, files, and functions: what the documents name exists, and what exists is
documented."""
import re
import subprocess

from frame.script import ROOT, STAGE, check, finish

COMMANDS = {"oshrun": "--help", "oshcc": "--showme:help", "causeway-info": "--help",
            "causeway-plot": "--help", "causeway-startup": "--help", "gasnetrun_ofi": "-help"}
OPTION = r"(?<![\w-])--?[a-zA-Z][\w:-]*"
# Spellings of other launchers, which help does not list, and help's own header.
SYNONYMS = {"--host", "-H", "--machinefile", "-f"}
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/guide/*.md")),
         *sorted(ROOT.glob("docs/man/*.md"))]
VARIABLE = re.compile(r"\b(?:CAUSEWAY|SHMEM|GASNET|OSHCC|OSHRUN|SMA)_[A-Z0-9_]+\b(?!\.\.\.)")
SOURCES = ("*.c", "*.h", "*.S", "*.py", "*.in", "*.def", "*.sh", "*.csv", "*.txt", "*.build")
PREFIXES = "cw|cwu|cwt|cwb|ofi|mpw|aci|drt|caf|gas|gex|shm|fi"  # of names in the sources
# What other implementations have, and pages name as such; the last is put together at run time.
FOREIGN = {
    "migrating.md": {"SHMEM_BARRIER_ALGO", "SHMEM_LOGGING", "SHMEM_OFI_DOMAIN",
                     "SHMEM_PROGRESS_INTERVAL", "SHMEM_REDUCE_ALGORITHM",
                     "SHMEM_SYMMETRIC_HEAP_USE_HUGE_PAGES"},
    "gasnet.7.md": {"GASNET_PSHM_NODES"},
    "gasnet_tools.7.md": {"GASNET_MAXIMIZE_RLIMIT_CPU"},
}


def text_of(path):
    """A page without what names routines in capitals: its title, and its source."""
    text = path.read_text(encoding="utf-8")
    return re.sub(r"\A% .*\n|^OpenSHMEM 1\.\d, section(.|\n(?!\n))*", "", text, flags=re.M)


def options():
    for command, ask in COMMANDS.items():
        text = subprocess.run([STAGE / "bin" / command, ask], stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT, check=False).stdout
        listed = set()
        for line in re.findall(r"^ +(-.*)", text, re.M):
            listed |= set(re.findall(OPTION, re.split(r"  +(?=[a-z])", line)[0]))
        page = text_of(ROOT / f"docs/man/{command}.1.md").replace("\\-", "-")
        terms = set()
        for line in re.findall(r"^(\*\*-.*)\n(?:\n)?:", page, re.M):
            terms |= set(re.findall(OPTION, line.replace("**", "")))
        named = {re.sub(r"=.*", "", one) for one in re.findall(OPTION, page.replace("**", ""))}
        check(listed, f"{command} {ask} lists no option", text[:500])
        for option in sorted(listed):
            check(option.split(":")[0] in {n.split(":")[0] for n in named},
                  f"{command}(1) does not have {option}, which {command} {ask} lists")
        for option in sorted(terms - SYNONYMS):
            check(option in text or re.search(r":\w+", option) and
                  re.search(r":\w+", option)[0] in text,
                  f"{command}(1) has {option}, which {command} {ask} does not list")


def options_in_text():
    """Behind the name of their command, on any page."""
    number = 0
    for command in ("oshrun", "causeway-info"):
        listed = set(re.findall(OPTION, subprocess.run(
            [STAGE / "bin" / command, "--help"], stdout=subprocess.PIPE, text=True,
            check=True).stdout))
        for page in PAGES:
            text = " ".join(text_of(page).replace("\\-", "-").replace("**", "").split())
            for option in re.findall(rf"\b{command} ({OPTION})", text):
                number += 1
                check(option in listed or option in SYNONYMS,
                      f"{page.name} names {command} {option}, which its help does not list")
    check(number > 40, f"only {number} options behind names of commands")


def variables():
    sources = "".join(text_of(p) for top in ("src", "include", "tools", "maint", "tests/launch")
                      for pattern in SOURCES for p in sorted((ROOT / top).rglob(pattern)))
    known = set(VARIABLE.findall(sources))
    documents = "".join(text_of(page) for page in PAGES)
    for page in PAGES:
        named, foreign = set(VARIABLE.findall(text_of(page))), FOREIGN.get(page.name, set())
        for name in sorted(named - known - foreign):
            check(name.endswith("_") and any(one.startswith(name) for one in known),
                  f"{page.name} names {name}, which no source has")
    for path in sorted((ROOT / "src").rglob("env.def")):
        rows = re.findall(r'^CW_ENV\(\w+, \w+, "(\w+)", (?:"(\w+)")?', text_of(path), re.M)
        check(rows, f"{path.relative_to(ROOT)} has no row")
        for name in filter(None, (name for row in rows for name in row)):
            check(name in documents, f"no document has {name} of {path.relative_to(ROOT)}")
    for top in ("src", "tools"):
        for path in sorted((ROOT / top).rglob("*.[ch]")):
            for name in re.findall(r'getenv\("((?:CAUSEWAY|SHMEM|GASNET)_\w+)"', text_of(path)):
                check(name in documents, f"no document has {name} of {path.relative_to(ROOT)}")


def build_options():
    table = set(re.findall(r"^\| `(\w+)` \|", text_of(ROOT / "docs/guide/packaging.md"), re.M))
    options = text_of(ROOT / "meson_options.txt")
    declared = set(re.findall(r"^option\('(\w+)'", options, re.M))
    auto = set(re.findall(r"^option\('(\w+)',[^)]*value: 'auto'", options, re.M))
    check(table == declared, "packaging.md has other options than meson", table ^ declared)
    recipes = ["debian/rules", "easybuild/Causeway-*.eb", "spack/package.py"]
    for path in [path for name in recipes for path in (ROOT / "packaging").glob(name)]:
        used = set(re.findall(r"-D(\w+)=", text_of(path)))
        check(used and used <= declared, f"{path.name}: no option of meson", used - declared)
        # else a package has what the machine that builds it has
        decided = used | set(re.findall(r'"(\w+)"', text_of(path)))
        check(len(auto) > 3 and auto <= decided, f"{path.name} leaves to meson", auto - decided)
    spack = text_of(ROOT / "packaging/spack/package.py")
    variants = set(re.findall(r'^    variant\("(\w+)"', spack, re.M))
    check(variants and variants <= declared, "Spack's variants are no options", variants)


def files():
    tops = "src|include|tests|docs|tools|maint|examples|study|bench|packaging"
    number = 0
    tests = {f"{path.parent.name}/{name}" for path in ROOT.glob("tests/*/tests.toml")
             for name in re.findall(r'^name = "(.*)"', text_of(path), re.M)}
    for page in [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md",
                 *sorted(ROOT.glob("docs/design/*.md")), *sorted(ROOT.glob("docs/adr/*.md"))]:
        for name in re.findall(rf"`((?:{tops})/[\w./-]+)`", text_of(page)):
            number += 1
            check((ROOT / name).exists() or name.removeprefix("tests/") in tests,
                  f"{page.name} names {name}, which is not there")
    check(number > 20, f"only {number} names of files")


def design():
    """Functions, types, constants and bare file names on the pages of the design are in the
    sources. Rejected ways may name what is not."""
    sources = [p for top in ("src", "include", "tools", "tests", "maint", "bench")
               for pattern in SOURCES for p in sorted((ROOT / top).rglob(pattern))]
    words = set(re.findall(r"\w+", "".join(p.read_text(encoding="utf-8") for p in sources)))
    names = {p.name for p in sources}
    pages = sorted(ROOT.glob("docs/design/*.md"))
    number = 0
    for page in pages:
        text = re.sub(r"^## Rejected\n.*?(?=^## )", "", text_of(page), flags=re.M | re.S)
        for quoted in re.findall(r"`([^`]+)`", text):
            if re.fullmatch(rf"(?:{PREFIXES}|[A-Z][A-Z0-9]*)_\w+", quoted):
                number += 1
                check(quoted in words, f"{page.name} names {quoted}, which no source has")
            elif re.fullmatch(r"\w+\.(?:c|h|def|py)", quoted):
                check(quoted in names, f"{page.name} names {quoted}, which is no source")
    check(number > 100, f"only {number} names of the sources on the pages of the design")


def commands_of_dev():
    text = text_of(ROOT / "dev")
    listed = set(re.findall(r"^  ([a-z]+) ", text.split("END\n")[0].split("<<'END'\n")[1], re.M))
    for page in [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "tests/README.md"]:
        for name in re.findall(r"\./dev ([a-z]+)", text_of(page)):
            check(name in listed, f"{page.name} names ./dev {name}, which is no command")


options()
options_in_text()
variables()
build_options()
files()
design()
commands_of_dev()
finish()
