// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by the programs of this room: joining with a client of their own, patterns, waiting.
#ifndef CW_TESTS_AM_TEST_H
#define CW_TESTS_AM_TEST_H

#include <stdlib.h>
#include <string.h>

#include "core/am/am.h"
#include "core/coll/coll.h"
#include "core/core.h"
#include "core/progress/wait.h"
#include "core/rma/rma.h"
#include "frame/check.h"

static const cw_am_names_t test_names = {
    .send = {{"test_request_short", "test_request_medium", "test_request_long"},
             {"test_reply_short", "test_reply_medium", "test_reply_long"}},
    .poll = "test_poll"};

enum { TEST_AM_CLIENT = 5 };
#define HEAD(handler, nargs) CW_AM_HEAD(TEST_AM_CLIENT, handler, nargs)

static inline void test_begin(int thread_level)
{
    cw_init(thread_level, "test_init");
    cw_am_open(TEST_AM_CLIENT, &test_names);
}

/** Returns the exit status, after all PEs are done. */
static inline int test_finish(void)
{
    cw_barrier(cw_group_world);
    cw_am_close(TEST_AM_CLIENT);
    if (cw_world.pe == 0 || checks_failed)
        printf("PE %d: ", cw_world.pe);
    int status = cw_world.pe == 0 || checks_failed ? check_result() : 0;
    fflush(stdout);
    cw_finalize("test_finalize");
    return status;
}

/** Waits for a count that handlers raise. */
static inline void await(const _Atomic uint64_t *count, uint64_t value)
{
    cw_wait_t w = CW_WAIT_INIT("test");
    while (atomic_load_explicit(count, memory_order_acquire) < value)
        cw_wait_round(&w);
    cw_wait_done(&w);
}

static inline uint32_t scramble(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static inline void fill_pattern(void *at, size_t nbytes, uint32_t seed)
{
    for (size_t i = 0; i < nbytes; i++)
        ((uint8_t *)at)[i] = (uint8_t)(scramble(seed + (uint32_t)(i / 4)) >> 8 * (i % 4));
}

static inline bool is_pattern(const void *at, size_t nbytes, uint32_t seed)
{
    for (size_t i = 0; i < nbytes; i++)
        if (((const uint8_t *)at)[i] !=
            (uint8_t)(scramble(seed + (uint32_t)(i / 4)) >> 8 * (i % 4)))
            return false;
    return true;
}

#endif
