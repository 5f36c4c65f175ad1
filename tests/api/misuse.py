#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Wrong use ends in one line that names the call and the cause: each case of misuse.c in checking
mode, calls before init and after finalize, and misuse that is noticed without checking mode."""
from frame import wrong_use

NO_PE = r"(there is no|no root|no) PE -?\d+.*0 to 1"
NOT_SYMMETRIC = r"is not symmetric"
NEVER = r"is in the heap, but in no block of it: it was freed, or never returned by shmem_malloc"
FREED = (r"in the heap are in a block that was freed at \w+\+0x\w+ \(misuse\.c:\d+\); "
         r"shmem_malloc gave its 400 bytes at "
         r"\w+\+0x\w+ \(misuse\.c:\d+\)")
BEYOND = (r"reach {} bytes beyond the end of their block, which has {}; shmem_malloc gave it at "
          r"\w+\+0x\w+ \(misuse\.c:\d+\)")
NEGATIVE = r"negative"
DESTROYED = r"the context has been destroyed"
BUFFERS = r"source \w+ \(.*\), \d+ bytes, and dest \w+ \(.*\), \d+ bytes, overlap"
OVERLAP = r"source and dest \(\d+ bytes, on PE \d\) overlap"
NOT_A_BLOCK = r"not an allocated block: freed twice, or not from the symmetric heap"

# case: (the routine that the message names, its text).
CHECKED = {
    "p_pe_too_high": ("shmem_int_p", NO_PE), "p_pe_negative": ("shmem_int_p", NO_PE),
    "double_p_pe_too_high": ("shmem_double_p", NO_PE),
    "g_pe_too_high": ("shmem_int_g", NO_PE), "put_pe_too_high": ("shmem_int_put", NO_PE),
    "get_pe_negative": ("shmem_int_get", NO_PE),
    "iput_pe_too_high": ("shmem_int_iput", NO_PE),
    "add_pe_too_high": ("shmem_int_atomic_add", NO_PE),
    "fetch_add_pe_negative": ("shmem_int_atomic_fetch_add", NO_PE),
    "put_signal_pe_too_high": ("shmem_int_put_signal", NO_PE),
    "pe_quiet_pe_too_high": ("shmem_pe_quiet", NO_PE),
    "ptr_pe_too_high": ("shmem_ptr", NO_PE),
    "broadcast_root_too_high": ("shmem_int_broadcast", NO_PE),
    "p_to_private": ("shmem_int_p", NOT_SYMMETRIC),
    "p_to_stack": ("shmem_int_p",
                   r"0x\w+ \(on the stack of this thread\), 4 bytes, " + NOT_SYMMETRIC),
    "p_to_null": ("shmem_int_p", NOT_SYMMETRIC),
    "put_to_private": ("shmem_int_put", r"private memory of this process, as .*" + NOT_SYMMETRIC),
    "put_beyond_static": ("shmem_putmem", r"reach \d+ bytes beyond the end of static array, "),
    "put_beyond_heap": ("shmem_putmem", BEYOND.format(2**40 - 400, 400)),
    "put_behind_static": (
        "shmem_int_put", r"\(\d+ MiB beyond the end of static `[\w.]+`, .*\).*" + NOT_SYMMETRIC),
    "get_from_private": ("shmem_int_get", NOT_SYMMETRIC),
    "iget_from_private": ("shmem_int_iget", NOT_SYMMETRIC),
    "set_private": ("shmem_int_atomic_set", NOT_SYMMETRIC),
    "swap_private": ("shmem_int_atomic_swap", NOT_SYMMETRIC),
    "signal_private": ("shmem_signal_set", NOT_SYMMETRIC),
    "put_signal_private": ("shmem_int_put_signal", NOT_SYMMETRIC),
    "wait_private": ("shmem_int_wait_until", NOT_SYMMETRIC),
    "test_private": ("shmem_int_test", NOT_SYMMETRIC),
    "wait_all_private": ("shmem_int_wait_until_all", NOT_SYMMETRIC),
    "lock_private": ("shmem_set_lock", NOT_SYMMETRIC),
    "reduce_private": ("shmem_int_sum_reduce", NOT_SYMMETRIC),
    "collect_private": ("shmem_int_collect", NOT_SYMMETRIC),
    "psync_private": ("shmem_barrier", "pSync.*" + NOT_SYMMETRIC),
    "put_freed": ("shmem_int_put", FREED), "add_freed": ("shmem_int_atomic_add", FREED),
    "wait_freed": ("shmem_int_wait_until", FREED),
    "put_unallocated": ("shmem_int_put", NEVER),
    "put_beyond_block": ("shmem_int_put", "32 bytes at .* " + BEYOND.format(16, 400)),
    "get_into_next": ("shmem_getmem", BEYOND.format(29, 100)),
    "fcollect_beyond_block": ("shmem_int_fcollect", BEYOND.format(4, 4)),
    "put_past_static": ("shmem_int_put", "32 bytes at .* reach 16 bytes beyond the end of static "
                        "few, which has 16"),
    "put_from_static": ("shmem_int_put", "source: 32 bytes at .* of this process reach 16 bytes "
                        "beyond the end of static few, which has 16"),
    "sum_past_static": ("shmem_int_sum_reduce", "32 bytes at .* reach 16 bytes beyond the end of "
                        "static few"),
    "put_from_beyond": ("shmem_int_put", "source: 32 bytes at .* of this process "
                        + BEYOND.format(16, 400)),
    "get_to_freed": ("shmem_int_get", "dest: 16 bytes at .* of this process are in a block that "
                     "was freed"),
    "put_negative": ("shmem_int_put", NEGATIVE),
    "get_nbi_negative": ("shmem_long_get_nbi", NEGATIVE),
    "putmem_negative": ("shmem_putmem", NEGATIVE),
    "iput_negative": ("shmem_int_iput", NEGATIVE),
    "iget_negative": ("shmem_int_iget", NEGATIVE),
    "ibput_negative": ("shmem_int_ibput", NEGATIVE),
    "put_signal_negative": ("shmem_putmem_signal", NEGATIVE),
    "wait_all_negative": ("shmem_int_wait_until_all", NEGATIVE),
    "test_any_negative": ("shmem_int_test_any_vector", NEGATIVE),
    "test_some_negative": ("shmem_long_test_some", NEGATIVE),
    "broadcast_negative": ("shmem_int_broadcast", NEGATIVE),
    "to_all_negative": ("shmem_int_sum_to_all", NEGATIVE),
    "alltoalls_stride": ("shmem_int_alltoalls", "strides 0 and 1 must be at least 1"),
    "bad_compare": ("shmem_int_wait_until", "99 is not a comparison; use one of SHMEM_CMP_EQ"),
    "bad_signal_op": ("shmem_int_put_signal", "77 is not a signal operation; use SHMEM_SIGNAL_SET"),
    "bad_team": ("shmem_int_broadcast", "the team is not valid; use SHMEM_TEAM_WORLD"),
    "ctx_p_pe_too_high": ("shmem_ctx_int_p", NO_PE),
    "ctx_get_pe_negative": ("shmem_ctx_int_get", NO_PE),
    "ctx_add_pe_too_high": ("shmem_ctx_int_atomic_add", NO_PE),
    "ctx_p_destroyed": ("shmem_ctx_int_p", DESTROYED),
    "ctx_put_destroyed": ("shmem_ctx_int_put", DESTROYED),
    "ctx_fetch_destroyed": ("shmem_ctx_int_atomic_fetch", DESTROYED),
    "ctx_quiet_destroyed": ("shmem_ctx_quiet", "the context is not valid"),
    "ctx_destroy_twice": ("shmem_ctx_destroy", "the context is not valid"),
    "ctx_of_another_thread": ("shmem_ctx_int_p", "used by another thread than its creator"),
    "cancelled": ("shmem_int_wait_until", r"thread \d+ ends inside of it"),
    "stale_team": ("shmem_team_sync",
                   "the team is not valid; use SHMEM_TEAM_WORLD or SHMEM_TEAM_SHARED"),
    "destroy_world": ("shmem_team_destroy",
                      "SHMEM_TEAM_WORLD is always there and cannot be destroyed"),
    "destroy_shared": ("shmem_team_destroy", "SHMEM_TEAM_SHARED is always there"),
    "team_mask": ("shmem_team_split_strided",
                  "config_mask 0x6: it may contain SHMEM_TEAM_NUM_CONTEXTS only"),
    "team_no_config": ("shmem_team_split_strided",
                       "config is NULL, but config_mask 0x1 asks for a field of it"),
    "team_ptr_pe": ("shmem_team_ptr", "no PE 2 in the team: its PEs are 0 to 1"),
    "bad_context": ("shmem_ctx_int_p", "the context is not valid; use SHMEM_CTX_DEFAULT"),
    "destroy_default": ("shmem_ctx_destroy", "the default context cannot be destroyed"),
    "set_too_large": ("shmem_barrier", "the active set reaches from PE 0 to PE 2: PEs are 0 to 1"),
    "set_of_broadcast": ("shmem_broadcast64", "the active set reaches from PE 0 to PE 3"),
    "set_of_reduce": ("shmem_int_sum_to_all", "the active set reaches from PE 1 to PE 2"),
    "set_of_collect": ("shmem_fcollect32", "the active set reaches from PE -1 to PE -1"),
    "set_of_alltoalls": ("shmem_alltoalls32", "the active set .* is empty or its stride negative"),
    "set_empty": ("shmem_sync", "the active set .* is empty"),
    "set_without_me": ("shmem_barrier", "PE 1 is not in the active set"),
    "clear_free_lock": ("shmem_clear_lock",
                        r"PE \d does not hold the lock.*it is not set, or another PE set it"),
    "put_overlaps": ("shmem_int_put", OVERLAP), "put_to_itself": ("shmem_putmem", OVERLAP),
    "get_overlaps": ("shmem_int_get_nbi", OVERLAP), "put_from_peer": ("shmem_int_put", OVERLAP),
    "broadcast_overlaps": ("shmem_int_broadcast", BUFFERS),
    "fcollect_overlaps": ("shmem_int_fcollect", BUFFERS),
    "reduce_overlaps": ("shmem_int_max_reduce", BUFFERS),
    "put_null": ("shmem_putmem", "source is NULL for 8 bytes"),
    "get_null": ("shmem_int_get", "dest is NULL for 16 bytes"),
    "iput_null": ("shmem_int_iput", "source is NULL"),
    "fetch_nbi_null": ("shmem_int_atomic_fetch_nbi", "fetch is NULL"),
    "wait_null": ("shmem_int_wait_until", "ivar is NULL"),
    "query_null": ("shmem_query_thread", "provided is NULL"),
    "iput_stride_zero": ("shmem_int_iput", "the stride dst is 0; it must be at least 1"),
    "iget_stride_negative": ("shmem_int_iget", "the stride sst is -2; it must be at least 1"),
    "ibput_stride_small": ("shmem_int_ibput", "the stride dst is 2; it must be at least 3"),
    "add_crooked": ("shmem_long_atomic_add", "is not aligned to its 8 bytes"),
    "swap_crooked": ("shmem_int_atomic_swap", "is not aligned to its 4 bytes"),
    "wait_crooked": ("shmem_int_wait_until", "is not aligned to its 4 bytes"),
    "test_all_crooked": ("shmem_int_test_all", "is not aligned to its 4 bytes"),
    "lock_crooked": ("shmem_set_lock", "is not aligned to its 8 bytes"),
    "signal_inside": ("shmem_putmem_signal", "sig_addr .* lies inside dest"),
    "set_twice": ("shmem_set_lock",
                  r"PE \d holds the lock at .* already and would wait for itself"),
    "test_twice": ("shmem_test_lock", "PE 0 holds the lock at .* already"),
    "clear_of_another": ("shmem_clear_lock", "PE 1 does not hold the lock"),
    "clear_twice": ("shmem_clear_lock", "PE 1 does not hold the lock"),
    "inner_realloc": ("shmem_realloc", NOT_A_BLOCK),
    "double_free": ("shmem_free", NOT_A_BLOCK), "foreign_free": ("shmem_free", NOT_A_BLOCK),
    "static_free": ("shmem_free", NOT_A_BLOCK), "inner_free": ("shmem_free", NOT_A_BLOCK),
    "foreign_realloc": ("shmem_realloc", NOT_SYMMETRIC),
    "bad_alignment": ("shmem_align", "24: it must be a power of two"),
}

# Noticed always: these checks are off the hot paths.
ALWAYS = ["p_pe_too_high", "p_pe_negative", "double_p_pe_too_high", "g_pe_too_high",
          "put_pe_too_high", "get_pe_negative",
          "iput_pe_too_high", "add_pe_too_high", "fetch_add_pe_negative", "bad_compare",
          "bad_signal_op", "bad_team", "put_negative", "iput_negative", "iget_negative",
          "ibput_negative", "wait_all_negative", "test_any_negative", "test_some_negative",
          "bad_context", "ctx_p_pe_too_high", "ctx_get_pe_negative", "ctx_p_destroyed",
          "ctx_put_destroyed",
          "ctx_fetch_destroyed", "destroy_default", "double_free", "foreign_free", "static_free",
          "inner_free", "clear_free_lock", "set_twice", "set_too_large", "set_of_broadcast",
          "set_of_reduce", "set_of_collect", "set_of_alltoalls", "set_empty", "set_without_me"]

# Routines with a PE that does not exist, and the PEs: any int is caught, without checking mode too.
FAR = {
    "far_p": "shmem_int_p", "far_char_p": "shmem_char_p", "far_double_p": "shmem_double_p",
    "far_longdouble_p": "shmem_longdouble_p",
    "far_g": "shmem_int_g", "far_put": "shmem_int_put", "far_put_nbi": "shmem_int_put_nbi",
    "far_get": "shmem_int_get", "far_iput": "shmem_int_iput", "far_iget": "shmem_int_iget",
    "far_add": "shmem_int_atomic_add", "far_fetch_add": "shmem_int_atomic_fetch_add",
    "far_put_signal": "shmem_int_put_signal", "far_session_p": "shmem_int_p",
    "far_ctx_p": "shmem_ctx_int_p", "far_ctx_g": "shmem_ctx_int_g",
    "far_ctx_put": "shmem_ctx_int_put", "far_ctx_iget": "shmem_ctx_int_iget",
    "far_ctx_add": "shmem_ctx_int_atomic_add", "far_default_ctx_p": "shmem_ctx_int_p",
    "far_default_ctx_get": "shmem_ctx_int_get",
}
FAR_PES = [300, -300, 5000, -5000, 100000, 2**31 - 1, -2**31]

# Calls that are valid only between init and finalize.
CALLS = {
    "call_p": "shmem_int_p", "call_g": "shmem_int_g", "call_put": "shmem_int_put",
    "call_get_nbi": "shmem_int_get_nbi", "call_iput": "shmem_int_iput",
    "call_add": "shmem_int_atomic_add",
    "call_fetch_nbi": "shmem_int_atomic_fetch_nbi", "call_put_signal": "shmem_int_put_signal",
    "call_signal_fetch": "shmem_signal_fetch",
    "call_quiet": "shmem_quiet", "call_fence": "shmem_fence", "call_wait": "shmem_int_wait_until",
    "call_test_any": "shmem_int_test_any", "call_lock": "shmem_set_lock",
    "call_malloc": "shmem_malloc",
    "call_free": "shmem_free", "call_barrier": "shmem_barrier_all",
    "call_reduce": "shmem_int_sum_reduce",
    "call_my_pe": "shmem_my_pe", "call_n_pes": "shmem_n_pes", "call_ptr": "shmem_ptr",
    "call_finalize": "shmem_finalize",
    "call_query_thread": "shmem_query_thread", "call_ctx_create": "shmem_ctx_create",
}


def use(arguments, checking, options, routine, text):
    says = [rf"^(\w+ )?{routine}: .*{text}"]
    # The call is not the library's own, or comes from a function of its own.
    if arguments[0] not in ("ctx_of_another_thread", "cancelled", "call_finalize"):
        says.append(rf"; called from {arguments[0]}_\+0x[0-9a-f]+ \(misuse\w*\.c:\d+\)")
    return wrong_use.Use(arguments, checking, says, options)


def plan():
    for case, (routine, text) in CHECKED.items():
        yield use([case], True, [], routine, text)
    yield use(["double_free"], True, [], "shmem_free",
              NOT_A_BLOCK + r".*; it was freed at \w+\+0x\w+ \(misuse\.c:\d+\)")
    for case in ALWAYS:
        yield use([case], False, [], *CHECKED[case])
    for case in ("iput_negative", "iget_negative", "ibput_negative"):
        yield use([case], False, ["--emulate-nodes", "2"], *CHECKED[case])
    for case in ("p_pe_too_high", "get_from_private", "swap_private", "putmem_negative"):
        yield use([case], True, ["--emulate-nodes", "2"], *CHECKED[case])
    for i, (case, routine) in enumerate(FAR.items()):
        for j, pe in enumerate(FAR_PES if case == "far_p" else FAR_PES[i % 2::2]):
            options = ["--emulate-nodes", "2"] if (i + j) % 2 else []
            yield wrong_use.Use([case, "far", str(pe)], False, [
                rf"^{routine}: there is no PE {pe}; this job has PEs 0 to 1; "
                rf"called from {case}_\+0x[0-9a-f]+ \(misuse\w*\.c:\d+\)"], options)
    for case, pe in (("far_p", -256), ("far_put", 256), ("far_g", -1)):  # no room for many zeros
        yield wrong_use.Use([case, "far", str(pe)], False,
                            [rf"^{FAR[case]}: there is no PE {pe}; this job has PEs 0 to 1"],
                            ["prlimit", f"--as={20 << 30}"])
    for case, routine in (("far_root", "shmem_int_broadcast"),
                          ("far_pe_quiet", "shmem_pe_quiet")):
        yield wrong_use.Use([case, "far", "300"], False,
                            [rf"^{routine}: no (root )?PE 300: .*0 to 1"])
    for case, routine in (("far_part_p", "shmem_ctx_int_p"),
                          ("far_part_get", "shmem_ctx_int_get")):
        for pe in (-1, 1, 5000):
            yield wrong_use.Use([case, "far", str(pe)], False, [
                rf"^{routine}: there is no PE {pe}; this context's team has PEs 0 to 0"])
    for when, pe in (("before", 5000), ("before", -2**31), ("after", 100000), ("after", -1)):
        for case in ("far_p", "far_get", "far_add"):
            yield wrong_use.Use([case, when, str(pe)], False,
                                [rf"^{FAR[case]}: called {when} shmem_(init|finalize); "])
    for case, routine in CALLS.items():
        yield use([case, "before"], False, [], routine, "called before shmem_init; call shmem_init")
        if case != "call_finalize":  # one more is ignored
            yield use([case, "after"], False, [], routine, "called after shmem_finalize; move")


MISTAKES = {"OpenSHMEM": {
    "before": "call_p before", "after": "call_p after", "process": "p_pe_too_high",
    "count": "put_negative", "foreign": "put_to_private", "beyond": "put_beyond_block",
    "freed": "put_freed", "null": "put_null", "short": "put_from_beyond",
    "static": "put_past_static", "short-static": "put_from_static",
    "overlap": "put_overlaps", "aligned": "add_crooked", "twice": "double_free",
    "not-block": "foreign_free", "team": "stale_team", "context": "ctx_put_destroyed",
    "garbage": "bad_context", "own-lock": "set_twice", "not-held": "clear_free_lock",
    "context-thread": "ctx_of_another_thread"}}


def cases():
    return wrong_use.cases(plan())


if __name__ == "__main__":
    wrong_use.run([("api/misuse.c", ["-fno-optimize-sibling-calls"], list(plan()))], npes=2)
