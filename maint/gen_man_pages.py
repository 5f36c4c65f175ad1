#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Keeps the manual pages of section 3 in step with the table of the interface.

A page docs/man/NAME.3.md is written by hand, but for what stands between these two lines:

    <!-- synopsis: ROW ROW ... -->
    <!-- end -->

(gasnet: for those of gasnet.h.) There this script puts the prototypes of the named rows of
openshmem_api.csv, those of the type-generic names that belong to them first, the deprecated ones
last. Every function is on exactly one page. In shmem.7.md it puts the table of types.

    gen_man_pages.py            rewrites the synopses
    gen_man_pages.py --check    only compares, and checks that each function is on one page
    gen_man_pages.py --links D  writes D/FUNCTION.3 for every function, which leads man to its page
                                (--links-without-gasnet D: not for GASNet's)
"""
import pathlib
import re
import sys
import textwrap

import gen_shmem

PAGES = gen_shmem.ROOT / "docs/man"
BLOCK = re.compile(r"(<!-- synopsis: (.*?) -->\n).*?(<!-- end -->)", re.S)
GASNET_BLOCK = re.compile(r"(<!-- gasnet: (.*?) -->\n).*?(<!-- end -->)", re.S)
AM_NAME = re.compile(r"(gasnet_AM(?:Request|Reply)(?:Short|Medium|LongAsync|Long))(?:\d+|M)$")
TYPES_BLOCK = re.compile(r"(<!-- types -->\n).*?(<!-- end -->)", re.S)
GROUPS = {
    "rma": "the RMA types", "amo": "the AMO types", "amo_extended": "the extended AMO types",
    "amo_bitwise": "the bitwise AMO types", "amo_old": "int, long, long long",
    "amo_old_extended": "float, double, int, long, long long", "sync": "the AMO types",
    "sync_short": "short, unsigned short",
    "sync_set": "the AMO types, short and unsigned short",
    "wait_old": "short, int, long, long long",
    "reduce_bitwise": "the bitwise reduction types", "reduce_order": "the RMA types",
    "reduce_arith": "the RMA types and the two complex types",
    "to_all_bitwise": "short, int, long, long long",
    "to_all_order": "short, int, long, long long, float, double, long double",
    "to_all_arith": "short, int, long, long long, float, double, long double and the two complex "
                    "types"
}
COLL_MACROS = [f"gasnet_coll_{what}" for what in (
    "try_sync", "try_sync_some", "try_sync_all", "wait_sync", "wait_sync_some", "wait_sync_all",
    "barrier", "barrier_notify", "barrier_wait", "barrier_try", "barrier_result",
    "loadTuningState", "dumpTuningState", "dumpProfile")]
FUNCTIONS = [row for row in gen_shmem.API if row["kind"] == "function"]
GENERICS = {row["name"]: row for row in gen_shmem.API if row["kind"] == "generic"}


def wrapped(prototype):
    """A prototype on lines of at most 78 characters, broken between parameters."""
    head, inside = prototype.split("(", 1)
    tied = head.replace(" ", "\0") + "(" + ", ".join(
        p.replace(" ", "\0") for p in inside.split(", "))
    text = textwrap.fill(tied, 74, subsequent_indent=" " * 8, break_long_words=False,
                         break_on_hyphens=False)
    return text.replace("\0", " ")


def block(prototypes):
    return "\n".join("    " + line for text in prototypes for line in wrapped(text).splitlines())


def generic_of(row):
    return row["name"].replace("_<TYPENAME>", "").replace("shmem_ctx_", "shmem_").replace(
        "shmem_team_sync", "shmem_sync")


def where(rows):
    """The sentence that says which types TYPE stands for."""
    groups, texts = [], []
    for row in rows:
        if row["types"] in GROUPS and row["types"] not in groups:
            groups.append(row["types"])
    for group in groups:
        members = [row for row in rows if row["types"] == group]
        ops = {re.sub(r".*<TYPENAME>_", "", row["name"]) for row in members}
        of = "" if len(groups) == 1 else f" (in {', '.join(f'*{op}*' for op in sorted(ops))})"
        texts.append(f"{GROUPS[group]}{of}")
    if any(row["types"] == "sizes" for row in rows):
        texts.append("and SIZE for 8, 16, 32, 64 or 128 bits" if texts else "")
    if not any(texts):
        return []
    if not groups:
        return ["", "SIZE stands for 8, 16, 32, 64 or 128 bits."]
    return ["", *textwrap.wrap("TYPE stands for " + "; ".join(texts) + "; see **shmem**(7).", 100)]


def synopsis(names):
    unknown = set(names) - {row["name"] for row in FUNCTIONS}
    if unknown:
        sys.exit(f"no such function in the table: {', '.join(sorted(unknown))}")
    rows = [row for name in names for row in FUNCTIONS if row["name"] == name]
    current = [row for row in rows if row["status"] == "current"]
    old = [row for row in rows if row["status"] == "deprecated"]
    generics = []
    for row in rows:
        g = GENERICS.get(generic_of(row))
        if g and g not in generics and ("<TYPENAME>" in row["name"] or "TYPE" not in g["text"]):
            generics.append(g)
    out = ["    #include <shmem.h>"]

    def generic(status):
        return [p for g in generics if g["status"] == status for p in g["text"].split(" | ")]

    for title, chosen in (("C11 and C++", generic("current")),
                          ("C and C++", [row["text"] for row in current]),
                          ("Deprecated", [row["text"] for row in old] + generic("deprecated"))):
        if chosen:
            out += ["", f"**{title}**", "", block(chosen)]
    return "\n".join(out + where(rows)) + "\n"


def type_table():
    """A line for each TYPENAME, with a mark for each group of types it belongs to."""
    columns = (("RMA", "rma"), ("AMO", "amo"), ("ext. AMO", "amo_extended"),
               ("bitw. AMO", "amo_bitwise"), ("bitw. red.", "reduce_bitwise"))
    out = [
        "    " + f"{'TYPENAME':11}{'TYPE':20}" + "".join(f"{title:11}"
                                                         for title, _ in columns).rstrip()
    ]
    for t in gen_shmem.TYPES:
        marks = "".join(f"{'x' if group in t['groups'].split() else '':11}" for _, group in columns)
        ctype = {"complexf": "float _Complex",
                 "complexd": "double _Complex"}.get(t["typename"], t["ctype"])
        out.append("    " + f"{t['typename']:11}{ctype:20}{marks}".rstrip())
    return "\n".join(out) + "\n"


def gasnet_functions():
    """{name: prototype} of gasnet.h and gasnet_coll.h; what begins with gasnet_causeway_ is the
    library's own."""
    text = "".join((gen_shmem.ROOT / "include" / header).read_text(encoding="utf-8")
                   for header in ("gasnet.h", "gasnet_coll.h"))
    found = {}
    for proto in re.findall(
            r"^(?!static|typedef|#|return)[a-z][\w \*]*?\bgasnet_\w+\([^()#]*\)[^;{]*;", text,
            re.M):
        proto = re.sub(r" __attribute__\(\(\w+\)\)", "", " ".join(proto.split()))
        found[re.search(r"(\w+)\(", proto)[1]] = proto
    return {name: proto for name, proto in found.items() if "causeway" not in name}


def gasnet_synopsis(names):
    known = gasnet_functions()
    unknown = set(names) - set(known)
    if unknown:
        sys.exit(f"gasnet.h declares no {', '.join(sorted(unknown))}")
    header = "gasnet_coll.h" if names[0].startswith("gasnet_coll_") else "gasnet.h"
    return f"    #include <{header}>\n\n" + block(known[name] for name in names) + "\n"


def names_in(marker):
    return marker.split()


def render(text):
    text = GASNET_BLOCK.sub(lambda m: m[1] + gasnet_synopsis(names_in(m[2])) + m[3], text)
    text = BLOCK.sub(lambda m: m[1] + synopsis(names_in(m[2])) + m[3], text)
    return TYPES_BLOCK.sub(lambda m: m[1] + type_table() + m[2], text)


def pages():
    return sorted(PAGES.glob("*.3.md"))


def page_of_each():
    """{function: page}; ends with a message if a family has no page or two."""
    found = {}
    for page in pages():
        for marker in BLOCK.finditer(page.read_text(encoding="utf-8")):
            for name in names_in(marker[2]):
                if name in found:
                    sys.exit(f"{name} is on two pages: {found[name]} and {page.name}")
                found[name] = page.name.removesuffix(".3.md")
    missing = {row["name"] for row in FUNCTIONS} - set(found)
    if missing:
        sys.exit(f"no page in docs/man has: {', '.join(sorted(missing))}")
    return {name: found[row["name"]] for row in FUNCTIONS for name, _ in gen_shmem.expand(row)}


def gasnet_pages():
    """{name of GASNet: page}: functions by the marks on the pages, counted messages by their
    pattern; and all names that tests/gasnet/names.txt has must stand on one of the pages of
    GASNet."""
    found, text = {}, ""
    for page in sorted(PAGES.glob("gasnet*.md")):
        text += page.read_text(encoding="utf-8")
        for marker in GASNET_BLOCK.finditer(page.read_text(encoding="utf-8")):
            found |= {name: page.name.removesuffix(".3.md") for name in names_in(marker[2])}
    found |= {
        "gasnet_init": "gasnet_attach", "GASNET_BLOCKUNTIL": "gasnet_AMRequest",
        "GASNET_Safe": "gasnet_attach", "gasnet_frozen": "gasnet_attach",
        "gasnet_max_segsize": "gasnet_attach", "gasnet_max_segsize_str": "gasnet_attach",
        **{name: "gasnet_coll_broadcast" for name in COLL_MACROS}
    }
    missing = set(gasnet_functions()) - set(found)
    for name in (gen_shmem.ROOT / "tests/gasnet/names.txt").read_text(encoding="utf-8").split():
        counted = AM_NAME.match(name)
        if counted:
            found[name] = found[counted[1]] = "gasnet_AMRequest"
        if not re.search(rf"\b{counted[1] + 'N' if counted else name}\b", text):
            missing.add(name)
    if missing:
        sys.exit(f"no page of GASNet in docs/man has: {', '.join(sorted(missing))}")
    return found


def gex_names():
    """Names of GASNet-EX's functions, exported or inline; they are on gasnetex.7."""
    page = (PAGES / "gasnetex.7.md").read_text(encoding="utf-8")
    listed = page.split("# INTERFACE\n")[1].split("# CALLS OF CLIENTS")[0]
    listed = set(re.findall(r"\b(?:gex_[A-Z]|gasnet_)\w+", listed))
    exports = (gen_shmem.ROOT / "src/gex/exports.txt").read_text(encoding="utf-8")
    missing = {name for name in exports.split()
               if re.match("gex_[A-Z]|gasnet_(?!coll_)", name)} - listed
    if missing:
        sys.exit(f"gasnetex.7.md does not have: {', '.join(sorted(missing))}")
    return listed


def write_links(folder, gasnet):
    folder.mkdir(parents=True, exist_ok=True)
    own = {page.name.removesuffix(".3.md") for page in pages()}
    links = page_of_each()
    for g in GENERICS.values():  # a type-generic name leads to the page of its functions
        typed = g["name"].replace("shmem_", "shmem_<TYPENAME>_", 1)
        links.setdefault(g["name"], next((links[n] for row in FUNCTIONS if row["name"] == typed
                                          for n, _ in gen_shmem.expand(row)), None))
    links |= {row["name"]: "shmemx_team_from_mpi_comm" for row in gen_shmem.of_kind("mpi")}
    links |= {"shmemx_team_of_members": "shmemx_team_from_gex_tm"}
    links |= {row["name"]: "shmemx_device_heap" for row in gen_shmem.of_kind("extension")
              if row["name"].startswith("shmemx_device_")}
    links |= {"shmemx_device_world_end": "shmemx_device_world"}
    links |= gasnet_pages() if gasnet else {}
    for name, page in links.items():
        if name not in own and page:
            (folder / f"{name}.3").write_text(f".so man3/{page}.3\n", encoding="utf-8")
    for name in gex_names() - set(links) - own if gasnet else ():
        (folder / f"{name}.3").write_text(".so man7/gasnetex.7\n", encoding="utf-8")


def main(args):
    if len(args) == 2 and args[0] in ("--links", "--links-without-gasnet"):
        write_links(pathlib.Path(args[1]), args[0] == "--links")
        return 0
    page_of_each()
    gasnet_pages()
    gex_names()
    stale = 0
    for page in [*pages(), PAGES / "shmem.7.md"]:
        have = page.read_text(encoding="utf-8")
        want = render(have)
        if have == want:
            continue
        if args == ["--check"]:
            stale += 1
            print(
                f"{page.name} is not what maint/gen_man_pages.py makes: run it and commit the "
                "result"
            )
        else:
            page.write_text(want, encoding="utf-8")
            print("wrote", page.relative_to(gen_shmem.ROOT))
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
