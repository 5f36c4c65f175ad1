// SPDX-License-Identifier: BSD-3-Clause
//
// A known number of active messages, which messages.py expects. Every node sends the same to its
// neighbour.
#include <gasnet.h>
#include <stdio.h>
#include <string.h>

enum { SHORT = 200, MEDIUM, LONG, SHORT_REPLY, MEDIUM_REPLY, LONG_REPLY };

static gasnet_seginfo_t segments[16];
static volatile int handled, replied;

static void on_short(gasnet_token_t token, gasnet_handlerarg_t a)
{
    handled++;
    gasnet_AMReplyShort1(token, SHORT_REPLY, a);
}

static void on_medium(gasnet_token_t token, void *data, size_t nbytes)
{
    handled++;
    gasnet_AMReplyMedium0(token, MEDIUM_REPLY, data, nbytes / 2);
}

static void on_long(gasnet_token_t token, void *data, size_t nbytes)
{
    gasnet_node_t from;
    handled++;
    gasnet_AMGetMsgSource(token, &from);
    if (nbytes == 1000)
        return;
    gasnet_AMReplyLong0(token, LONG_REPLY, data, 64, (char *)segments[from].addr + 8192);
}

static void on_reply_short(gasnet_token_t token, gasnet_handlerarg_t a)
{
    (void)token, (void)a;
    replied++;
}

static void on_reply(gasnet_token_t token, void *data, size_t nbytes)
{
    (void)token, (void)data, (void)nbytes;
    replied++;
}

int main(int argc, char **argv)
{
    static char data[5000];
    gasnet_handlerentry_t table[] = {
        {SHORT, (void (*)())on_short},        {MEDIUM, (void (*)())on_medium},
        {LONG, (void (*)())on_long},          {SHORT_REPLY, (void (*)())on_reply_short},
        {MEDIUM_REPLY, (void (*)())on_reply}, {LONG_REPLY, (void (*)())on_reply}};
    GASNET_Safe(gasnet_init(&argc, &argv));
    GASNET_Safe(gasnet_attach(table, 6, 4 * GASNET_PAGESIZE, 0));
    GASNET_Safe(gasnet_getSegmentInfo(segments, 16));
    gasnet_node_t me = gasnet_mynode(), next = (me + 1) % gasnet_nodes();
    for (int i = 0; i < 200; i++)
        gasnet_AMRequestShort1(next, SHORT, i);
    for (int i = 0; i < 3; i++)
        gasnet_AMRequestMedium0(next, MEDIUM, data, 100);
    for (int i = 0; i < 2; i++)
        gasnet_AMRequestLong0(next, LONG, data, 1000, segments[next].addr);
    gasnet_AMRequestLong0(next, LONG, data, 5000, segments[next].addr);
    GASNET_BLOCKUNTIL(handled == 206 && replied == 204);
    gasnet_AMPoll();
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    if (me == 0)
        puts("messages done");
    gasnet_exit(0);
}
