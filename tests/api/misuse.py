#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Wrong use ends in one line that names the call and says what is wrong: each case of misuse.c in checking mode,
calls before init and after finalize, and what is noticed without checking mode. Every run has a time-out."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("CAUSEWAY_TEST_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
STAGE = pathlib.Path(os.environ.get("CAUSEWAY_TEST_STAGE", ROOT / "build/stage"))
SLOW = 4 if os.environ.get("CAUSEWAY_TEST_SANITIZE") == "1" else 1

NO_PE = r"(there is no|no root|no) PE -?\d+.*0 to 1"
NOT_SYMMETRIC = r"is not symmetric"
NEGATIVE = r"negative"
NOT_A_BLOCK = r"not an allocated block: freed twice, or not from the symmetric heap"

# case: (what the message calls the routine, what it says). Scalars and transfers checked by core go by their kind.
CHECKED = {
    "p_pe_too_high": ("put", NO_PE), "p_pe_negative": ("put", NO_PE), "double_p_pe_too_high": ("put", NO_PE),
    "g_pe_too_high": ("get", NO_PE), "put_pe_too_high": ("put", NO_PE), "get_pe_negative": ("get", NO_PE),
    "iput_pe_too_high": ("put", NO_PE), "add_pe_too_high": ("atomic", NO_PE), "fetch_add_pe_negative": ("atomic", NO_PE),
    "put_signal_pe_too_high": ("shmem_int_put_signal", NO_PE), "pe_quiet_pe_too_high": ("shmem_pe_quiet", NO_PE),
    "ptr_pe_too_high": ("shmem_ptr", NO_PE), "broadcast_root_too_high": ("shmem_int_broadcast", NO_PE),
    "p_to_private": ("put", NOT_SYMMETRIC), "p_to_stack": ("put", NOT_SYMMETRIC), "p_to_null": ("put", NOT_SYMMETRIC),
    "put_to_private": ("put", NOT_SYMMETRIC), "put_beyond_static": ("put", NOT_SYMMETRIC),
    "get_from_private": ("get", NOT_SYMMETRIC), "iget_from_private": ("get", NOT_SYMMETRIC),
    "set_private": ("atomic", NOT_SYMMETRIC), "swap_private": ("atomic", NOT_SYMMETRIC),
    "signal_private": ("atomic", NOT_SYMMETRIC), "put_signal_private": ("shmem_int_put_signal", NOT_SYMMETRIC),
    "wait_private": ("shmem_int_wait_until", NOT_SYMMETRIC), "test_private": ("shmem_int_test", NOT_SYMMETRIC),
    "wait_all_private": ("shmem_int_wait_until_all", NOT_SYMMETRIC), "lock_private": ("shmem_set_lock", NOT_SYMMETRIC),
    "reduce_private": ("shmem_int_sum_reduce", NOT_SYMMETRIC), "collect_private": ("shmem_int_collect", NOT_SYMMETRIC),
    "psync_private": ("shmem_barrier", "pSync.*" + NOT_SYMMETRIC),
    "put_negative": ("shmem_put", NEGATIVE), "get_nbi_negative": ("shmem_get_nbi", NEGATIVE), "putmem_negative": ("shmem_put", NEGATIVE),
    "iput_negative": ("shmem_int_iput", NEGATIVE), "put_signal_negative": ("shmem_putmem_signal", NEGATIVE),
    "wait_all_negative": ("shmem_int_wait_until_all", NEGATIVE), "broadcast_negative": ("shmem_int_broadcast", NEGATIVE),
    "to_all_negative": ("shmem_int_sum_to_all", NEGATIVE),
    "alltoalls_stride": ("shmem_int_alltoalls", "strides 0 and 1 must be at least 1"),
    "bad_compare": ("shmem_int_wait_until", "99 is not a comparison; use one of SHMEM_CMP_EQ"),
    "bad_signal_op": ("shmem_int_put_signal", "77 is not a signal operation; use SHMEM_SIGNAL_SET"),
    "bad_team": ("shmem_int_broadcast", "the team is not valid; use SHMEM_TEAM_WORLD"),
    "bad_context": ("shmem_ctx_int_p", "the context is not valid; use SHMEM_CTX_DEFAULT"),
    "destroy_default": ("shmem_ctx_destroy", "the default context cannot be destroyed"),
    "set_too_large": ("shmem_barrier", "the active set reaches from PE 0 to PE 2: PEs are 0 to 1"),
    "set_without_me": ("shmem_barrier", "PE 1 is not in the active set"),
    "clear_free_lock": ("shmem_clear_lock", "is not set"),
    "double_free": ("shmem_free", NOT_A_BLOCK), "foreign_free": ("shmem_free", NOT_A_BLOCK),
    "static_free": ("shmem_free", NOT_A_BLOCK), "inner_free": ("shmem_free", NOT_A_BLOCK),
    "foreign_realloc": ("shmem_realloc", NOT_SYMMETRIC), "bad_alignment": ("shmem_align", "24: it must be a power of two"),
}

# Noticed always: they cost nothing on the paths that matter.
ALWAYS = ["p_pe_too_high", "p_pe_negative", "double_p_pe_too_high", "g_pe_too_high", "put_pe_too_high", "get_pe_negative",
          "iput_pe_too_high", "add_pe_too_high", "fetch_add_pe_negative", "bad_compare", "bad_signal_op", "bad_team",
          "bad_context", "destroy_default", "double_free", "foreign_free", "static_free", "inner_free"]

# Calls that may only stand between init and finalize.
CALLS = {
    "call_p": "put", "call_g": "get", "call_put": "put", "call_get_nbi": "get", "call_iput": "put", "call_add": "atomic",
    "call_fetch_nbi": "atomic", "call_put_signal": "shmem_int_put_signal", "call_signal_fetch": "shmem_signal_fetch",
    "call_quiet": "shmem_quiet", "call_fence": "shmem_fence", "call_wait": "shmem_int_wait_until",
    "call_test_any": "shmem_int_test_any", "call_lock": "shmem_set_lock", "call_malloc": "shmem_malloc",
    "call_free": "shmem_free", "call_barrier": "shmem_barrier_all", "call_reduce": "shmem_int_sum_reduce",
    "call_my_pe": "shmem_my_pe", "call_n_pes": "shmem_n_pes", "call_ptr": "shmem_ptr", "call_finalize": "shmem_finalize",
    "call_query_thread": "shmem_query_thread", "call_ctx_create": "shmem_ctx_create",
}


def plan():
    """(arguments, checking mode, options of oshrun, routine, text)"""
    for case, (routine, text) in CHECKED.items():
        yield [case], True, [], routine, text
    for case in ALWAYS:
        yield [case], False, [], *CHECKED[case]
    for case in ("p_pe_too_high", "get_from_private", "swap_private", "putmem_negative"):
        yield [case], True, ["--emulate-nodes", "2"], *CHECKED[case]
    for case, routine in CALLS.items():
        yield [case, "before"], False, [], routine, "called before shmem_init; call shmem_init"
        yield [case, "after"], False, [], routine, "called after shmem_finalize; move"


def attempt(program, job):
    arguments, checking, options, routine, text = job
    env = dict(os.environ)
    env.pop("CAUSEWAY_CHECK", None)
    if checking:
        env["CAUSEWAY_CHECK"] = "1"
    what = " ".join([*arguments, *options, "(checking)" if checking else ""]).strip()
    command = [str(STAGE / "bin/oshrun"), "-n", "2", *options, program, *arguments]
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=30 * SLOW, errors="replace")
    except subprocess.TimeoutExpired:
        return f"FAIL {what}: hangs"
    output = done.stdout + done.stderr
    if done.returncode == 0 or "NOT NOTICED" in output:
        return f"FAIL {what}: not noticed, exit status {done.returncode}\n{output}"
    if done.returncode < 0 or done.returncode > 127:
        return f"FAIL {what}: died of a signal ({done.returncode})\n{output}"
    if not re.search(rf"^causeway: error: (PE \d of 2 \()?pid \d+, host [^)]*?\)?: (\w+ )?{routine}: .*{text}", output, re.M):
        return f"FAIL {what}: no line with '{routine}' and '{text}'\n{output}"
    return None


def main():
    with tempfile.TemporaryDirectory() as scratch:
        program = f"{scratch}/misuse"
        subprocess.run([str(STAGE / "bin/oshcc"), "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-o", program,
                        str(ROOT / "tests/api/misuse.c")], check=True)
        jobs = list(plan())
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            failed = [text for text in pool.map(lambda job: attempt(program, job), jobs) if text]
    print("\n".join(failed))
    print(f"{len(jobs)} wrong uses, {len(failed)} not as expected")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
