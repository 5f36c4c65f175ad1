// SPDX-License-Identifier: BSD-3-Clause
//
// Start without waiting (CAUSEWAY_ATTACH=nowait): the last process is late, and the others
// communicate with it as far as possible. A file proves that no process waited: the late one goes
// on when each of the others has written a byte to it. OSHRUN_PE and OSHRUN_NPES identify the late
// process before gasnet_init does.
//
//   attach FILE   late between gasnet_init and gasnet_attach; messages to it are sent before it
//                 attaches
//   init FILE     late before gasnet_init
//   ex FILE       late between gex_Client_Init and gex_Segment_Attach
//   exit FILE     ends the job instead of attaching, while the others wait for it: all end, with
//                 its status
//   dies FILE     is killed instead
//   wrong FILE    attaches with invalid arguments, and ends the job
//
// Sizes of segments differ. Odd processes get the late process's address by a reply, even ones by
// gasnet_getSegmentInfo; if all of memory is the segment, all get it by a reply.
#include <fcntl.h>
#include <gasnet.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frame/check.h"

enum {
    ASK = 200,
    REPLIED,
    LOADED,
    PLACED,
    AFTER = 100,
    MOST_ASKED = 1024,  // values from one sender
    CHUNK = 4096,
    ROOM = 64 * CHUNK,
    STATUS = 5
};

static int n, me, late;
static volatile int asked, loaded, placed, replies;
static volatile uintptr_t there;
static unsigned char everything[ROOM] __attribute__((aligned(64)));
static unsigned char *mine = everything;
static const char *file;
static gex_TM_t team;  // of a start by GASNet-EX

static void ask(gasnet_token_t token, gasnet_handlerarg_t value)
{
    static bool came[MOST_ASKED];  // in any order: some may have gone by the flusher
    CHECK(n > 2 || ((unsigned)value < MOST_ASKED && !came[value]), "a message of the wrong value");
    came[(unsigned)value % MOST_ASKED] = true;
    asked++;
    uint64_t at = (uintptr_t)mine;
    gasnet_AMReplyShort2(token, REPLIED, (gasnet_handlerarg_t)(at >> 32), (gasnet_handlerarg_t)at);
}

static void replied(gasnet_token_t token, gasnet_handlerarg_t high, gasnet_handlerarg_t low)
{
    (void)token;
    there = (uintptr_t)((uint64_t)(uint32_t)high << 32 | (uint32_t)low);
    replies++;
}

static void on_loaded(gasnet_token_t token, void *payload, size_t nbytes,
                      gasnet_handlerarg_t source)
{
    (void)token;
    CHECK(nbytes == 1000 && ((unsigned char *)payload)[999] == (unsigned char)source,
          "the payload of a medium");
    loaded++;
}

static void on_placed(gasnet_token_t token, void *payload, size_t nbytes,
                      gasnet_handlerarg_t source)
{
    (void)token;
    CHECK(nbytes == 512 && payload == mine + source * CHUNK &&
              mine[source * CHUNK] == (unsigned char)source,
          "the payload of a long");
    placed++;
}

static gasnet_handlerentry_t handlers[] = {{ASK, (void (*)())ask},
                                           {REPLIED, (void (*)())replied},
                                           {LOADED, (void (*)())on_loaded},
                                           {PLACED, (void (*)())on_placed}};
enum { HANDLERS = sizeof handlers / sizeof handlers[0] };

static uintptr_t size_of(int node)
{
    return (uintptr_t)ROOM / GASNET_PAGESIZE * GASNET_PAGESIZE +
           (uintptr_t)(1 + node % 5) * GASNET_PAGESIZE;
}

/** Messages may be handled as soon as there is a segment. */
static void on_segment(void *addr, uintptr_t size)
{
    mine = size == size_of(me) ? addr : NULL;
}

// ---------------------------------------------------------------- the file
static void write_byte(void)
{
    int fd = open(file, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd < 0 || write(fd, "x", 1) != 1)
        abort();
    close(fd);
}

/** A start that waits for all would hang here, and the test's time-out would end it. */
static void await_others(int others)
{
    struct stat st;
    while (stat(file, &st) || st.st_size < others)
        usleep(1000);
}

// ---------------------------------------------------------------- the early ones
static int before(void)
{
    return n > 16 ? 2 : 10;  // all of them fit into the inbox
}

static void send(int count, int first)
{
    for (int i = 0; i < count; i++)
        gasnet_AMRequestShort1((gasnet_node_t)late, ASK, first + i);
}

static void send_loaded(void)
{
    unsigned char bytes[1000];
    memset(bytes, me, sizeof bytes);
    gasnet_AMRequestMedium1((gasnet_node_t)late, LOADED, bytes, sizeof bytes, me);
}

static unsigned char *late_memory(void)
{
#ifndef GASNET_SEGMENT_EVERYTHING
    if (me % 2 == 0) {
        gasnet_seginfo_t *info = calloc((size_t)n, sizeof *info);
        gasnet_getSegmentInfo(info, n);
        for (int i = 0; i < n; i++)
            CHECK(info[i].addr && info[i].size == size_of(i), "the size of a segment");
        void *at = info[late].addr, *owner = NULL;
        uintptr_t size = 0;
        free(info);
        if (team)
            CHECK(gex_Segment_QueryBound(team, (gex_Rank_t)late, &owner, NULL, &size) == 0 &&
                      owner == at && size == size_of(late),
                  "the late one's segment");
        return at;
    }
#endif
    GASNET_BLOCKUNTIL(there != 0);
    return (unsigned char *)there;
}

static void transfer(void)
{
    gasnet_node_t to = (gasnet_node_t)late;
    unsigned char *at = late_memory() + me * CHUNK, bytes[512], back[512];
    uint64_t word = 0x0102030405060708u * (unsigned)(me + 1);
    memset(bytes, me, sizeof bytes);
    gasnet_put_nbi(to, at + 1024, &word, 8);
    gasnet_put_val(to, at + 1032, word, 8);
    gasnet_put(to, at + 2048, bytes, sizeof bytes);
    gasnet_get(back, to, at + 2048, sizeof back);
    CHECK(memcmp(back, bytes, sizeof back) == 0, "what was put does not come back");
    gasnet_wait_syncnbi_all();
    CHECK(gasnet_get_val(to, at + 1024, 8) == word, "a value does not come back");
    gasnet_AMRequestLong1(to, PLACED, bytes, sizeof bytes, at, me);
}

static void be_early(int sends)
{
    int first = sends ? before() : 0;
    if (sends) {
        send(first, 0);
        send_loaded();
    }
    write_byte();
    // otherwise a fast one would fill the late one's inbox before the slow ones send
    await_others(n - 1);
    if (!sends)
        send_loaded();
    send(AFTER, first);  // more than the inbox has room for
    transfer();
    GASNET_BLOCKUNTIL(replies == first + AFTER);
}

// ---------------------------------------------------------------- the late one
static void be_late(int sends)
{
    int others = n - 1, shorts = others * (AFTER + (sends ? before() : 0));
    GASNET_BLOCKUNTIL(asked == shorts && loaded == others && placed == others);
}

static void check_memory(void)
{
    for (int i = 0; i < n - 1; i++) {
        uint64_t word = 0x0102030405060708u * (unsigned)(i + 1);
        const unsigned char *at = mine + i * CHUNK;
        CHECK(memcmp(at + 1024, &word, 8) == 0 && memcmp(at + 1032, &word, 8) == 0,
              "a value that was put");
        CHECK(at[0] == (unsigned char)i && at[511] == (unsigned char)i, "a long's memory");
        CHECK(at[2048] == (unsigned char)i && at[2559] == (unsigned char)i, "memory that was put");
    }
}

// ---------------------------------------------------------------- starts
static void attach(void)
{
    if (gasnet_attach(handlers, HANDLERS, size_of(me), 0) != GASNET_OK)
        abort();
}

static void start(const char *how)
{
    gasnet_init(NULL, NULL);
    n = (int)gasnet_nodes(), me = (int)gasnet_mynode(), late = n - 1;
    check_as("process", me, n);
    if (me != late || strcmp(how, "init") == 0) {
        attach();
        return;
    }
    await_others(n - 1);
    if (strcmp(how, "exit") == 0)
        gasnet_exit(STATUS);
    if (strcmp(how, "dies") == 0)
        raise(SIGKILL);
    if (strcmp(how, "wrong") == 0)
        gasnet_exit(gasnet_attach(handlers, HANDLERS, 1, 0) == GASNET_ERR_BAD_ARG ? STATUS : 1);
    attach();
}

static void start_ex(void)
{
    gex_Client_t client;
    gex_EP_t ep;
    gex_Segment_t segment;
    gex_AM_Entry_t table[HANDLERS];
    for (int i = 0; i < HANDLERS; i++)
        table[i] = (gex_AM_Entry_t){.gex_index = handlers[i].index,
                                    .gex_fnptr = (gex_AM_Fn_t)handlers[i].fnptr};
    gex_Client_Init(&client, &ep, &team, "LATE", NULL, NULL, GEX_FLAG_USES_GASNET1);
    n = (int)gasnet_nodes(), me = (int)gasnet_mynode(), late = n - 1;
    check_as("process", me, n);
    gex_EP_RegisterHandlers(ep, table, HANDLERS);
    if (me == late)
        await_others(n - 1);
    if (gex_Segment_Attach(&segment, team, size_of(me)) != GASNET_OK)
        abort();
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    const char *how = argv[1];
    bool ex = strcmp(how, "ex") == 0, sends = strcmp(how, "init") != 0;
    file = argv[2];
    gasnet_client_attach_hook = on_segment;
    int others = atoi(getenv("OSHRUN_NPES")) - 1;
    if (!sends && atoi(getenv("OSHRUN_PE")) == others)
        await_others(others);
    if (ex)
        start_ex();
    else
        start(how);
    if (me == late)
        be_late(sends);
    else
        be_early(sends);
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    if (me == late)
        check_memory();
    if (checks_failed == 0 && me == late)
        printf("the late one of %d: all well\n", n);
    gasnet_exit(checks_failed != 0);
    return 1;
}
