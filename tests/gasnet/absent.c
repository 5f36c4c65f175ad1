// SPDX-License-Identifier: BSD-3-Clause
//
// Between hosts the first process of each host carries on barriers: while it waits, the others do
// not load libfabric for a barrier, though they notify later. And a first process that does not
// enter the library after its notify delays no other.
#define EVERY_MAIN
#include "every.h"

#include <stdbool.h>

enum { ROUNDS = 10, ASK = 200, REPLY, LOADED, PASSED };
static gasnet_nodeinfo_t where[64];
static int notified;  // rounds of the first process; handlers that run
                      // there afterwards run in its wait
static int seen;      // the same, as a reply reported it
static unsigned replies, reports, loaded, passed;

static void on_ask(gasnet_token_t token)
{
    gasnet_AMReplyShort1(token, REPLY, notified);
}

static void on_answer(gasnet_token_t token, gasnet_handlerarg_t rounds)
{
    (void)token;
    seen = rounds;
    replies++;
}

static void on_loaded(gasnet_token_t token, gasnet_handlerarg_t has)
{
    (void)token;
    reports++;
    loaded += has != 0;
}

static void on_passed(gasnet_token_t token)
{
    (void)token;
    passed++;
}

static bool has_libfabric(void)
{
    char line[4096];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL, "no /proc/self/maps");
    while (maps && fgets(line, sizeof line, maps))
        found = found || strstr(line, "libfabric");
    if (maps)
        fclose(maps);
    return found;
}

/** The first process of the host notifies first. */
static void round_of(unsigned first, int round)
{
    for (unsigned asked = replies; me != first && seen < round;) {
        GASNET_Safe(gasnet_AMRequestShort0(first, ASK));
        asked++;
        GASNET_BLOCKUNTIL(replies == asked);
    }
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    notified = round;
    CHECK(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_OK, "round %d", round);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t handlers[] = {{ASK, (void (*)())on_ask},
                                        {REPLY, (void (*)())on_answer},
                                        {LOADED, (void (*)())on_loaded},
                                        {PASSED, (void (*)())on_passed}};
    GASNET_Safe(gasnet_init(&argc, &argv));
    GASNET_Safe(gasnet_attach(handlers, sizeof handlers / sizeof *handlers, 0, 0));
    every_numbers();
    GASNET_Safe(gasnet_getNodeInfo(where, 64));
    unsigned first = 0, others = 0;
    while (where[first].host != where[me].host)
        first++;
    for (unsigned i = 0; i < nodes; i++)
        others += where[i].host == where[me].host && i != first;

    for (int round = 1; round <= ROUNDS; round++)
        round_of(first, round);
    if (me != first) {
        GASNET_Safe(gasnet_AMRequestShort1(first, LOADED, has_libfabric()));
    } else {
        GASNET_BLOCKUNTIL(reports == others);
        CHECK(has_libfabric(), "one process of the host must have it");
        CHECK(loaded == 0, "%u of the %u others of this host have loaded libfabric", loaded,
              others);
    }

    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    if (me == first)
        GASNET_BLOCKUNTIL(passed == others);
    CHECK(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_OK,
          "without the first one");
    if (me != first)
        GASNET_Safe(gasnet_AMRequestShort0(first, PASSED));
    barrier();
    every_end("absent");
}
