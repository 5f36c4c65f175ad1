// SPDX-License-Identifier: BSD-3-Clause
//
// Every call of GASNet with its result checked; compiled for each thread mode and segment
// configuration.
#define EVERY_MAIN
#include "every.h"

static char everything[SEGMENT] __attribute__((aligned(4096)));

#ifdef GASNET_SEGMENT_EVERYTHING
static uintptr_t heard;

static void on_address(gasnet_token_t token, void *buf, size_t nbytes)
{
    (void)token;
    if (nbytes == sizeof heard)
        memcpy(&heard, buf, nbytes);
}

/** There are no segments: each node uses static memory of its own, which is at another address in
 *  every process. */
static void send_addresses(int handler)
{
    uintptr_t at = (uintptr_t)everything;
    GASNET_Safe(gasnet_AMRequestMedium0(prev, (gasnet_handler_t)handler, &at, sizeof at));
    GASNET_BLOCKUNTIL(heard != 0);
    mine = everything;
    theirs = (char *)heard;
    barrier();
}
#endif

int main(int argc, char **argv)
{
    GASNET_Safe(gasnet_init(&argc, &argv));
    unattached = calloc(gasnet_nodes(), sizeof *unattached);
    GASNET_Safe(gasnet_getNodeInfo(unattached, (int)gasnet_nodes()));
#ifdef GASNET_SEGMENT_EVERYTHING
    gasnet_handlerentry_t *last = &message_handlers[message_handlers_count - 1];
    last->fnptr = (gasnet_causeway_fnptr_t)on_address;
#endif
    every_attach(message_handlers, message_handlers_count, SEGMENT);
#ifdef GASNET_SEGMENT_EVERYTHING
    send_addresses(last->index);
#else
    (void)everything;
#endif
    test_job();
    test_put_get();
    test_values();
    test_sync();
    test_regions();
    test_vis();
    test_barriers();
    test_locks();
    test_messages();
    barrier();
    every_end(GASNET_CONFIG_STRING);
}
