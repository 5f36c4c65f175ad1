// SPDX-License-Identifier: BSD-3-Clause
//
// Medium and long requests of every length up to beyond a cell, and of some beyond that, up to the
// largest medium of the job, with few and with many arguments; replies with the larger payloads:
// bytes and arguments arrive as they were sent, and no byte beside those of a long changes. Longs
// go to the very end of a segment, too. All nodes send at a time, so that
// rings fill up, and with GASNET_PAR two threads of each.
#include <gasnet.h>
#ifdef GASNET_PAR
#include <pthread.h>
#endif
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 200, ECHO = 240, SMALL = 150, ROUNDS = 3, NCOUNTS = 6, SEGMENT = 4 << 20 };
enum { PACKET = 3968, MOST = 65536 };  // of one message over any network; of all
enum { EDGE = 70 };  // bytes of longs at the end
// as many as the job's mediums allow, and the largest of them
static size_t large[] = {255,        256,        1000, 1024,  2047,  PACKET - 1, PACKET,
                         PACKET + 1, 2 * PACKET, 8191, 15900, 16032, 40000,      MOST};
static int nsizes = SMALL;
#ifdef GASNET_PAR
enum { THREADS = 2 };
#else
enum { THREADS = 1 };
#endif

static gasnet_node_t me, nodes;
static gasnet_seginfo_t *segment;
static _Atomic int received, wrong, replies;

static char byte_at(size_t nbytes, size_t i)
{
    return (char)(nbytes * 7 + i * 3 + 1);
}

static size_t size_of(int i)
{
    return i < SMALL ? (size_t)i : large[i - SMALL];
}

static void look(gasnet_token_t token, const char *payload, size_t nbytes, int nargs,
                 const gasnet_handlerarg_t *args)
{
    for (size_t i = 0; i < nbytes; i++)
        if (payload[i] != byte_at(nbytes, i)) {
            atomic_fetch_add(&wrong, 1);
            break;
        }
    for (int i = 0; i < nargs; i++)
        if (args[i] != (gasnet_handlerarg_t)(nbytes + 1000u * (unsigned)i))
            atomic_fetch_add(&wrong, 1);
    atomic_fetch_add(&received, 1);
    if (nbytes > 256)
        gasnet_AMReplyMedium0(token, ECHO, (void *)payload, nbytes);
    else
        gasnet_AMReplyShort0(token, FIRST);
}

static void on_echo(gasnet_token_t token, void *payload, size_t nbytes)
{
    (void)token;
    for (size_t i = 0; i < nbytes; i++)
        if (((char *)payload)[i] != byte_at(nbytes, i)) {
            atomic_fetch_add(&wrong, 1);
            break;
        }
    atomic_fetch_add(&replies, 1);
}

static void on_reply(gasnet_token_t token)
{
    (void)token;
    atomic_fetch_add(&replies, 1);
}

#define A(i) , gasnet_handlerarg_t a##i
#define A1 A(0)
#define A4 A1 A(1) A(2) A(3)
#define A8 A4 A(4) A(5) A(6) A(7)
#define A16 A8 A(8) A(9) A(10) A(11) A(12) A(13) A(14) A(15)
#define HANDLER(n, parameters, ...)                                                   \
    static void on_##n(gasnet_token_t token, void *payload, size_t nbytes parameters) \
    {                                                                                 \
        look(token, payload, nbytes, n, (const gasnet_handlerarg_t[]){__VA_ARGS__});  \
    }
HANDLER(0, , 0)
HANDLER(1, A1, a0)
HANDLER(4, A4, a0, a1, a2, a3)
HANDLER(7, A4 A(4) A(5) A(6), a0, a1, a2, a3, a4, a5, a6)
HANDLER(8, A8, a0, a1, a2, a3, a4, a5, a6, a7)
HANDLER(16, A16, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15)

#define V(i) (gasnet_handlerarg_t)(nbytes + 1000u * (i))
#define SEND(n, ...)                                                                    \
    (dest ? gasnet_AMRequestLong##n(node, FIRST + 1 + n, src, nbytes, dest __VA_ARGS__) \
          : gasnet_AMRequestMedium##n(node, FIRST + 1 + n, src, nbytes __VA_ARGS__))

/** dest NULL: a medium one. */
static void send(gasnet_node_t node, int which, char *src, size_t nbytes, char *dest)
{
    if (which == 0)
        SEND(0);
    else if (which == 1)
        SEND(1, , V(0));
    else if (which == 2)
        SEND(4, , V(0), V(1), V(2), V(3));
    else if (which == 3)
        SEND(7, , V(0), V(1), V(2), V(3), V(4), V(5), V(6));
    else if (which == 4)
        SEND(8, , V(0), V(1), V(2), V(3), V(4), V(5), V(6), V(7));
    else
        SEND(16, , V(0), V(1), V(2), V(3), V(4), V(5), V(6), V(7), V(8), V(9), V(10), V(11), V(12),
             V(13), V(14), V(15));
}

/** A place of each sender's, for longs of its own number and length only. */
static char *place(gasnet_node_t node, int thread, int which, int i)
{
    size_t before = 0;
    for (int k = 0; k < i; k++)
        before += size_of(k) + 1;
    return (char *)segment[node].addr +
           ((size_t)thread * NCOUNTS + (size_t)which) * (SEGMENT / (THREADS * NCOUNTS)) + before;
}

static void *send_all(void *arg)
{
    int thread = (int)(intptr_t)arg;
    char src[MOST];
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < nsizes; i++)
            for (int which = 0; which < NCOUNTS; which++) {
                size_t nbytes = size_of(i);
                gasnet_node_t to = (me + 1) % nodes;
                for (size_t k = 0; k < nbytes; k++)
                    src[k] = byte_at(nbytes, k);
                send(to, which, src, nbytes, NULL);
                send(to, which, src, nbytes, place(to, thread, which, i));
                memset(src, 0, nbytes);
            }
    return NULL;
}

/** One behind the other: they overlap. */
static void send_edges(void)
{
    gasnet_node_t to = (me + 1) % nodes;
    char src[EDGE];
    for (size_t nbytes = 0; nbytes <= EDGE; nbytes++) {
        int before = atomic_load(&replies);
        for (size_t k = 0; k < nbytes; k++)
            src[k] = byte_at(nbytes, k);
        send(to, 2, src, nbytes, (char *)segment[to].addr + segment[to].size - nbytes);
        GASNET_BLOCKUNTIL(atomic_load(&replies) > before);
    }
}

/** Bytes beside a long in my segment that are not 0 any more: one lies behind each. */
static int changed(void)
{
    int n = 0;
    for (int thread = 0; thread < THREADS; thread++)
        for (int which = 0; which < NCOUNTS; which++)
            for (int i = 0; i < nsizes; i++)
                n += place(me, thread, which, i)[size_of(i)] != 0;
    return n;
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{FIRST, on_reply},   {FIRST + 1, on_0}, {FIRST + 2, on_1},
                                     {FIRST + 5, on_4},   {FIRST + 8, on_7}, {FIRST + 9, on_8},
                                     {FIRST + 17, on_16}, {ECHO, on_echo}};
    GASNET_Safe(gasnet_init(&argc, &argv));
    size_t most = gasnet_AMMaxMedium();
    for (size_t i = 0; i < sizeof large / sizeof *large && large[i] < most; i++)
        nsizes++;
    large[nsizes++ - SMALL] = most;
    int all = ROUNDS * nsizes * NCOUNTS * 2 * THREADS;
    GASNET_Safe(gasnet_attach(table, sizeof table / sizeof table[0], SEGMENT, 0));
    me = gasnet_mynode();
    nodes = gasnet_nodes();
    segment = calloc(nodes, sizeof *segment);
    GASNET_Safe(gasnet_getSegmentInfo(segment, (int)nodes));
    memset(segment[me].addr, 0, SEGMENT);
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
#ifdef GASNET_PAR
    pthread_t other;
    pthread_create(&other, NULL, send_all, (void *)1);
    send_all(NULL);
    pthread_join(other, NULL);
#else
    send_all(NULL);
#endif
    GASNET_BLOCKUNTIL(atomic_load(&replies) == all);
    send_edges();
    GASNET_BLOCKUNTIL(atomic_load(&received) == all + EDGE + 1);
    int bad = atomic_load(&wrong), beside = changed();
    if (me == 0)
        printf("largest medium: %zu\n", most);
    if (bad || beside)
        printf("node %u: %d messages are wrong, %d bytes beside them\n", me, bad, beside);
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_exit(bad || beside);
}
