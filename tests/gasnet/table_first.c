// SPDX-License-Identifier: BSD-3-Clause
//
// gasnet_getSegmentInfo fills its table before any handler runs, though it waits for the last node
// (CAUSEWAY_ATTACH=nowait) while messages are there: handlers use that table.
#include <gasnet.h>
#include <stdio.h>
#include <unistd.h>

enum { ASK = 200, REPLY };
static gasnet_seginfo_t table[8];
static volatile int asked, replied, too_early;

static void on_ask(gasnet_token_t token)
{
    too_early += table[0].addr == NULL;
    asked++;
    gasnet_AMReplyShort0(token, REPLY);
}

static void on_reply(gasnet_token_t token)
{
    (void)token;
    replied++;
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t handlers[] = {{ASK, (void (*)())on_ask}, {REPLY, (void (*)())on_reply}};
    GASNET_Safe(gasnet_init(&argc, &argv));
    int me = (int)gasnet_mynode(), last = (int)gasnet_nodes() - 1;
    if (me == last)
        usleep(300000);  // by now the others wait in gasnet_getSegmentInfo, normally
    GASNET_Safe(gasnet_attach(handlers, 2, GASNET_PAGESIZE, 0));
    int due = me == 0 ? last - 1 : 0;  // all but the last send a request to the first
    if (me > 0 && me < last)
        gasnet_AMRequestShort0(0, ASK);
    GASNET_Safe(gasnet_getSegmentInfo(table, 8));
    GASNET_BLOCKUNTIL(asked == due && replied == (me > 0 && me < last));
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    if (too_early)
        printf("FAIL: node %d: %d handlers ran before the table was there\n", me, too_early);
    gasnet_exit(too_early != 0);
    return 1;
}
