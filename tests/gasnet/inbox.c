// SPDX-License-Identifier: BSD-3-Clause
//
// Messages that no PE has handled when the job ends are dropped: requests of each kind to the node
// itself, to the next one and to the one after it, and gasnet_exit, or a return from main, at once.
// Nodes with an odd number come later than their messages.
#include <gasnet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 8, FIRST = 210, NBYTES = 512 };

static void on_short(gasnet_token_t token, gasnet_handlerarg_t arg)
{
    (void)token, (void)arg;
}

static void on_loaded(gasnet_token_t token, void *payload, size_t nbytes)
{
    (void)token, (void)payload, (void)nbytes;
}

static void on_asked(gasnet_token_t token)
{
    gasnet_AMReplyShort1(token, FIRST, 1);
}

/** With GASNET_SEGMENT_EVERYTHING, memory that the target copies to. */
static char *own_dest(void *segment)
{
    static char outside[NBYTES];
    return segment ? segment : outside;
}

/** Each kind, and a request that wants a reply. dest NULL: of a node whose addresses are not known.
 */
static void send_all(gasnet_node_t node, char *dest)
{
    char bytes[NBYTES] = {0};
    size_t nbytes = dest ? sizeof bytes : 0;
    gasnet_AMRequestShort1(node, FIRST, 7);
    gasnet_AMRequestMedium0(node, FIRST + 1, bytes, 24);
    gasnet_AMRequestMedium0(node, FIRST + 1, bytes, sizeof bytes);
    gasnet_AMRequestLong0(node, FIRST + 1, bytes, nbytes, dest);
    gasnet_AMRequestShort0(node, FIRST + 2);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {
        {FIRST, on_short}, {FIRST + 1, on_loaded}, {FIRST + 2, on_asked}};
    GASNET_Safe(gasnet_init(&argc, &argv));
    GASNET_Safe(gasnet_attach(table, 3, 65536, 0));
    gasnet_node_t me = gasnet_mynode(), n = gasnet_nodes();
    gasnet_seginfo_t *segment = calloc(n, sizeof *segment);
    GASNET_Safe(gasnet_getSegmentInfo(segment, (int)n));
    gasnet_barrier_notify(0, 0);
    gasnet_barrier_wait(0, 0);
    if (me % 2)
        usleep(200000);
    for (int round = 0; round < ROUNDS; round++)
        for (gasnet_node_t i = 0; i < 3 && i < n; i++) {
            gasnet_node_t to = (me + i) % n;
            send_all(to, i == 0 ? own_dest(segment[me].addr) : segment[to].addr);
        }
    printf("node %u leaves\n", me);
    if (argc > 1 && strcmp(argv[1], "return") == 0)
        return 0;
    gasnet_exit(0);
}
