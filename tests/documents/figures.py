#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Limits and times that pages tell are those of the sources: each row has words of a page with a
figure, and the definition in a source from which the figure follows."""
import ast
import re
from functools import lru_cache

from frame.script import ROOT, TESTS, check, finish

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
MS, S = 10**6, 10**9  # nanoseconds

# (page, its words, file, expression of the file's names, what it must be)
FIGURES = [
    ("guide/limits.md", "a member of **1022 teams** at once", "src/core/sync/area.h",
     "CW_TEAMS - 2", 1022),
    ("guide/limits.md", "The first 62 of them move up to 4 KiB", "src/core/sync/area.h",
     "CW_ROOMY_TEAMS - 2", 62),
    ("guide/limits.md", "move up to 4 KiB", "src/core/sync/area.h", "CW_COLL_MEDIUM", 4 * KIB),
    ("guide/limits.md", "do so with 240 bytes", "src/core/sync/area.h", "CW_COLL_SMALL", 240),
    ("guide/limits.md", "A process is in 1,022 groups", "src/core/sync/area.h", "CW_TEAMS - 2",
     1022),
    ("guide/limits.md", "`co_reduce` have at most 4 KiB", "src/caf/gfortran/user_op.c",
     "DERIVED_MOST", 4 * KIB),
    ("guide/limits.md", "An image holds 1,024 locks", "src/caf/caf.h", "CAF_LOCK_PLACES", 1024),
    ("guide/limits.md", "A team has 32,767 segments at a time", "src/dart/segment.c",
     "NUMBERS - 1", 32767),
    ("guide/limits.md", "every 20 microseconds after a change", "src/base/waits.def", "NAP * 1000",
     MS / 50),
    ("guide/limits.md", "by a 64th of the silence", "src/base/waits.def", "GROWTH", 64),
    ("guide/limits.md", "up to every millisecond", "src/base/waits.def", "LISTEN * 1000", MS),
    ("guide/limits.md", "is tested every fourth time", "src/core/server/rest.c", "ALL_EVERY", 4),
    ("guide/limits.md", "A wait for a set of more than 1 KiB", "src/core/progress/wait.c",
     "MOST_WATCHED", KIB),
    ("guide/limits.md", "each up to 10 ms late", "src/base/waits.def", "LATE * 1000", 10 * MS),
    ("guide/limits.md", "in chunks of 4 MiB", "src/core/mem/layout.h", "1 << CW_CHUNK_SHIFT_MIN",
     4 * MIB),
    ("guide/limits.md", "a PE has at most 64;", "src/core/mem/layout.h", "CW_CHUNKS_MAX", 64),
    ("guide/limits.md", "larger ones for heaps above 256 MiB", "src/core/mem/layout.h",
     "CW_CHUNKS_MAX << CW_CHUNK_SHIFT_MIN", 256 * MIB),
    ("guide/limits.md", "at most 4,096 beside ARMCI's memory", "src/core/mem/layout.h",
     "CW_CHUNKS_MAX_SPARSE", 4096),
    ("guide/limits.md", "only PEs up to 256 beside the job's", "src/core/port/words.c",
     "FEW // 8", 256),
    ("guide/limits.md", "of others still find none for two seconds",
     "src/transport/ofi/server/progress.c", "STARVED_NS", 2 * S),
    ("guide/limits.md", "PE finds none for its only one for five", "src/base/waits.def",
     "GIVE_UP * 1000", 5 * S),
    ("guide/limits.md", "half a second after the start (ADR 45)", "src/core/life/unfinished.c",
     "WATCH_NS", S / 2),
    ("guide/limits.md", "library is loaded, 5 s at most", "src/base/waits.def",
     "GIVE_UP * 1000", 5 * S),
    ("guide/threads.md", "puts of up to 1 KiB", "src/core/rma/batch.h", "CW_BATCH_PUT_MAX", KIB),
    ("guide/memory-model.md", "at the latest after 10 ms", "src/base/waits.def",
     "LATE * 1000", 10 * MS),
    ("man/shmem_wait_until.3.md", "end the wait within 10 milliseconds", "src/base/waits.def",
     "LATE * 1000", 10 * MS),
    ("man/shmem_wait_until_all.3.md", "end the wait within 10 milliseconds",
     "src/base/waits.def", "LATE * 1000", 10 * MS),
    ("man/shmem_team_split_strided.3.md", "at most 1022 teams at one time", "src/core/sync/area.h",
     "CW_TEAMS - 2", 1022),
    ("man/shmem_iput.3.md", "from 16 KiB on one put", "src/core/bulk/stage.c", "LEAST", 16 * KIB),
    ("man/shmem_iput.3.md", "for up to 512 KiB of them", "src/core/route/request.h",
     "CW_CELL_PAYLOAD", 512 * KIB),
    ("man/causeway-env.7.md", "Cells of 516 KiB", "src/core/route/request.h", "CW_CELL_NBYTES",
     516 * KIB),
    ("man/causeway-env.7.md", "whole number, 0 to 16; default `16`", "src/core/route/request.h",
     "CW_CELLS", 16),
    ("man/causeway-stats.5.md", "at most 0.1 s before the last call", "src/core/report/stats.c",
     "REFRESH_NS", S / 10),
    ("man/causeway-stats.5.md", "The twelve operations", "src/core/report/stats_page.c", "LINES",
     12),
    ("man/causeway-stats.5.md", "at most each 0.1 ms", "src/core/report/trace_text.c", "SAMPLE_NS",
     MS / 10),
    ("man/causeway-mpi.7.md", "an idle server looks every 20 microseconds",
     "src/base/waits.def", "NAP * 1000", MS / 50),
    ("man/causeway-mpi.7.md", "to 1 millisecond", "src/base/waits.def", "LISTEN * 1000",
     MS),
    ("man/oshrun.1.md", "SIGKILL 0.3 seconds later", "tools/oshrun/end.c", "TERM_TO_KILL_NS",
     S * 3 / 10),
    ("man/oshrun.1.md", "first have half a second", "tools/oshrun/end.c", "FINALIZED_GRACE_NS",
     S / 2),
    ("man/oshrun.1.md", "waits 40 milliseconds after such an error", "tools/oshrun/end.c",
     "CAUSE_NS", 40 * MS),
    ("man/oshrun.1.md", "unless it follows within 0.1 seconds", "tools/oshrun/end.c",
     "SAME_SIGNAL_NS", S / 10),
    ("man/oshrun.1.md", "A line of more than 1 MiB", "tools/oshrun/output.c", "PARTIAL_MAX", MIB),
    ("man/dart.7.md", "up to 8 MiB of blocks", "src/core/mem/blocks.c", "WAITING_ALL", 8 * MIB),
    ("man/dart.7.md", "blocks of at most 2 MiB", "src/core/mem/blocks.c", "WAITING_EACH", 2 * MIB),
    ("man/dart.7.md", "up to 32,767 segments at a time", "src/dart/segment.c", "NUMBERS - 1",
     32767),
    ("man/dart.7.md", "a unit can be in 1,022 teams at a time", "src/core/sync/area.h",
     "CW_TEAMS - 2", 1022),
    ("man/armci.7.md", "A process is in up to 1,022 groups", "src/core/sync/area.h",
     "CW_TEAMS - 2", 1022),
    ("man/gasnet.7.md", "Up to 3968 bytes travel in one message", "src/core/am/am.h",
     "CW_AM_PACKET", 3968),
    ("man/gasnet.7.md", "(512 to 65536, the same in", "src/core/am/am.h", "CW_AM_MOST_MEDIUM",
     65536),
    ("man/gasnet.7.md", "five seconds later the launcher ends them", "src/base/waits.def",
     "GIVE_UP * 1000", 5 * S),
    ("man/gasnetex.7.md", "A process may be in 32 teams at a time", "src/gex/gex.h", "GEX_TEAMS",
     32),
    ("man/gasnetex.7.md", "Four pieces of 1 KiB", "src/gex/gex.h", "GEX_ENTRIES", 4),
    ("man/gasnetex.7.md", "pieces of 1 KiB (less in jobs of more than 128 processes)",
     "src/gex/coll.c", "CELLS_NBYTES // 128 // 32 // 4 // PIECE_MOST", 1),
    ("man/gasnetex.7.md", "for a long has at most 64 KiB", "src/gex/npam.c", "MOST_LENT", 64 * KIB),
    ("man/gasnetex.7.md", "Pieces of less than 1 KiB", "src/core/bulk/pieces.h", "CW_PIECE_MAX",
     KIB),
    ("man/gasnetex.7.md", "in messages of up to 4 KiB", "src/core/route/request.h",
     "CW_MESSAGE_MAX", 4 * KIB),
    ("man/gasnetex.7.md", "puts of 16 KiB and gets", "src/core/bulk/stage.c", "LEAST", 16 * KIB),
    ("man/gasnetex.7.md", "gets of 32 KiB and more", "src/core/bulk/pieces.h",
     "CW_PIECES_GET_LEAST", 32 * KIB),
    ("man/gasnetex.7.md", "in parts of up to 512 KiB", "src/core/route/request.h",
     "CW_CELL_PAYLOAD", 512 * KIB),
]
SUFFIX = re.compile(r"\b(0x[0-9a-fA-F]+|\d+)(?:[uU]?[lL]{0,2}|[lL]{1,2}[uU])\b")
KNOWN = {"CWU_MS": MS, "INT16_MAX": 32767, "sizeof_uintptr_t": 8}


@lru_cache(None)
def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


def value(path, expression):
    """What an expression of C is, with the names that the file defines."""
    expression = re.sub(r"U?INT(?:32|64)_C\((\d+)\)", r"\1", expression)
    expression = re.sub(r"\((?:size_t|uint64_t|uint32_t)\)", "", expression)
    expression = expression.replace("sizeof(uintptr_t)", "sizeof_uintptr_t")
    names = {}
    for name in set(re.findall(r"\b[A-Za-z_]\w*", SUFFIX.sub(r"\1", expression))) - set(KNOWN):
        found = re.search(rf"^#define {name} (.*?)\s*(?://.*)?$|\b{name} = ([^,}}/\n]+)|"
                          rf"^CW_WAIT_NUMBER\({name}, (\d+),", text_of(path), re.M)
        if not check(found, f"{path} does not define {name}"):
            return None
        names[name] = value(path, found[1] or found[2] or found[3])
        if names[name] is None:
            return None
    tree = ast.parse(SUFFIX.sub(r"\1", expression), mode="eval")
    return eval(compile(tree, path, "eval"), {"__builtins__": {}}, {**KNOWN, **names})


def counted():
    """Numbers of functions."""
    golden = set((TESTS / "api/golden_exports.txt").read_text(encoding="utf-8").split())
    functions = [n for n in golden if n.startswith("_") or "p" + n in golden]
    check(f"{len(functions):,} functions, each tested" in text_of("README.md").replace("\n", " "),
          f"README has another number of functions than {len(functions):,}")
    names = (TESTS / "armci/global_arrays.txt").read_text(encoding="utf-8").split()
    page = " ".join(text_of("docs/guide/armci.md").split())
    check(f"the {len(names)} names of ARMCI that Global Arrays uses" in page,
          f"the guide has another number of names than {len(names)}")


for page, words, source, expression, wanted in FIGURES:
    check(words in " ".join(text_of(f"docs/{page}").split()), f"{page} does not say: {words}")
    is_now = value(source, expression)
    check(is_now == wanted, f"{page}: {words}: {expression} of {source} is {is_now}")
counted()
finish(f"{len(FIGURES)} figures")
