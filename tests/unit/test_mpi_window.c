// SPDX-License-Identifier: BSD-3-Clause
//
// The window of the MPI transport over an MPI that notes with each transfer that its target needs a
// flush, and clears that note when a flush is over, whatever another thread has begun meanwhile
// (transport/mpi/window.c). Each thread's flush completes its transfers nevertheless.
#include <stdlib.h>

#include "frame/check.h"
#include "transport/mpi/world.h"

enum { RANKS = 2 };

static bool needed[RANKS];    // MPI's note
static int under_way[RANKS];  // transfers
static int flushes;           // that did something
static int meanwhile = -1;    // the rank of a put that another thread begins during a flush
static void (*begin_meanwhile)(int rank);

static int put(int rank, uint64_t offset, const void *src, size_t nbytes)
{
    (void)offset, (void)src, (void)nbytes;
    needed[rank] = true;
    under_way[rank]++;
    return 0;
}

static int get(int rank, uint64_t offset, void *dst, size_t nbytes)
{
    CHECK(offset == 0 && nbytes == 1);
    return put(rank, offset, dst, nbytes);
}

static int flush(int rank)
{
    if (needed[rank]) {
        flushes++;
        under_way[rank] = 0;
    }
    if (meanwhile >= 0)
        begin_meanwhile(meanwhile);
    needed[rank] = false;
    return 0;
}

static void put_word(int rank)
{
    uint64_t word = 1;
    CHECK(mpw_window_put(rank, 64, &word, sizeof word) == 0);
}

int main(void)
{
    static const cwt_mpi_plugin_t plugin = {.put = put, .get = get, .flush = flush};
    mpw_world.plugin = &plugin;
    mpw_world.facts.size = RANKS;
    CHECK(mpw_ranks_open() == 0);
    for (int round = 0; round < 3; round++) {
        put_word(0);
        CHECK(mpw_window_flush(0) == 0 && under_way[0] == 0);
        CHECK(flushes == 3 * round + 1);  // no transfer of its own where none met a flush

        put_word(0);
        meanwhile = 0, begin_meanwhile = put_word;
        CHECK(mpw_window_flush(0) == 0);
        meanwhile = -1;
        CHECK(under_way[0] == 1 && !needed[0]);  // the note is lost
        CHECK(mpw_window_flush(0) == 0 && under_way[0] == 0);
        CHECK(flushes == 3 * round + 3);
    }
    put_word(0);
    meanwhile = 1;
    CHECK(mpw_window_flush(0) == 0 && under_way[0] == 0);
    meanwhile = -1;
    int before = flushes;
    CHECK(under_way[1] == 1 && mpw_window_flush(1) == 0 && under_way[1] == 0);
    CHECK(flushes == before + 1);  // another rank's flush is none
    mpw_ranks_close();
    return check_result();
}
