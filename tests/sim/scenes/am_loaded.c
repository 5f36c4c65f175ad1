// SPDX-License-Identifier: BSD-3-Clause
//
// Medium and long messages of two threads of each process, of all sizes and within and between
// nodes, with replies of all kinds: payloads are whole, each message is handled once.
#define GASNET_PAR 1
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gasnet_scene.h"
#include "sim.h"

enum { MEDIUM = 128, LONG, REPLY, LOADED_REPLY, PROCESSES = 3, THREADS = 2, SENDS = 4 };
enum { MOST = 5000, ROOM = 5120, PLACES = PROCESSES * THREADS * SENDS };  // bytes of a place
enum { NO_REPLY, SHORT_REPLY, MEDIUM_REPLY, LONG_REPLY, REPLIES };
static const size_t sizes[] = {0, 1, 3, 4, 8, 20, 48, 100, 700, 3000, MOST};
static unsigned char payload[MOST];
static gasnet_seginfo_t segments[PROCESSES];
static int handled, replied[THREADS];
static struct {
    int to[PROCESSES];  // requests that are not replied to
} * sent;

/** A message has one in the target, its reply one in its sender. */
static unsigned char *place_in(gasnet_node_t node, int number, int of_reply)
{
    return (unsigned char *)segments[node].addr + (of_reply * PLACES + number) * ROOM;
}

static void check(const void *what, size_t nbytes, const char *name)
{
    SIM_CHECK(memcmp(what, payload, nbytes) == 0, "%zu bytes of a %s message are others", nbytes,
              name);
}

static void answer(gasnet_token_t token, int number, int reply, size_t nbytes)
{
    gasnet_node_t from;
    int thread = number / SENDS % THREADS;
    gasnet_AMGetMsgSource(token, &from);
    if (reply == NO_REPLY)
        __atomic_fetch_add(&handled, 1, __ATOMIC_RELEASE);
    else if (reply == SHORT_REPLY)
        gasnet_AMReplyShort1(token, REPLY, thread);
    else if (reply == MEDIUM_REPLY)
        gasnet_AMReplyMedium1(token, LOADED_REPLY, payload, nbytes, thread);
    else
        gasnet_AMReplyLong1(token, LOADED_REPLY, payload, nbytes, place_in(from, number, 1),
                            thread);
}

static void on_medium(gasnet_token_t token, void *buffer, size_t nbytes, int number, int reply)
{
    check(buffer, nbytes, "medium");
    answer(token, number, reply, nbytes);
}

static void on_long(gasnet_token_t token, void *buffer, size_t nbytes, int number, int reply)
{
    SIM_CHECK(nbytes == 0 || buffer == place_in(gasnet_mynode(), number, 0),
              "a long message is said to be at %p", buffer);
    check(buffer, nbytes, "long");
    answer(token, number, reply, nbytes);
}

static void on_reply(gasnet_token_t token, int thread)
{
    (void)token;
    __atomic_fetch_add(&replied[thread], 1, __ATOMIC_RELEASE);
}

static void on_loaded_reply(gasnet_token_t token, void *buffer, size_t nbytes, int thread)
{
    check(buffer, nbytes, "reply's");
    on_reply(token, thread);
}

static gasnet_handlerentry_t handlers[] = {{MEDIUM, (void (*)())on_medium},
                                           {LONG, (void (*)())on_long},
                                           {REPLY, (void (*)())on_reply},
                                           {LOADED_REPLY, (void (*)())on_loaded_reply}};

static void send_one(gasnet_node_t to, int number, int reply)
{
    size_t nbytes = sizes[sim_draw(sizeof sizes / sizeof *sizes)];
    void *dest = place_in(to, number, 0);
    switch (sim_draw(4)) {
    case 0:
        gasnet_AMRequestLong2(to, LONG, payload, nbytes, dest, number, reply);
        break;
    case 1:
        gasnet_AMRequestLongAsync2(to, LONG, payload, nbytes, dest, number, reply);
        break;
    default:
        nbytes = nbytes < gasnet_AMMaxMedium() ? nbytes : gasnet_AMMaxMedium();
        gasnet_AMRequestMedium2(to, MEDIUM, payload, nbytes, number, reply);
    }
}

static void *send(void *arg)
{
    int thread = (int)(long)arg, due = 0;
    for (int i = 0; i < SENDS; i++) {
        int reply = (int)sim_draw(REPLIES), me = (int)gasnet_mynode();
        gasnet_node_t to = (gasnet_node_t)(me + 1 + (int)sim_draw(PROCESSES - 1)) % PROCESSES;
        if (reply == NO_REPLY)
            __atomic_fetch_add(&sent->to[to], 1, __ATOMIC_RELAXED);
        due += reply != NO_REPLY;
        send_one(to, (me * THREADS + thread) * SENDS + i, reply);
    }
    GASNET_BLOCKUNTIL(__atomic_load_n(&replied[thread], __ATOMIC_ACQUIRE) == due);
    return NULL;
}

static void run(void)
{
    static const char *const stats[] = {"1", "pes", "json:/dev/null"};
    pthread_t thread;
    setenv("CAUSEWAY_AM_CREDITS", sim_setting(0, 2) ? "2" : "64", 1);
    setenv("CAUSEWAY_AM_REPLIES", sim_setting(1, 2) ? "2" : "0", 1);
    if (sim_setting(2, 3) == 0)
        setenv("CAUSEWAY_STATS", stats[sim_setting(3, 3)], 1);
    if (sim_setting(4, 3) == 0)
        setenv("CAUSEWAY_TRACE", "/dev/null", 1);
    for (int i = 0; i < MOST; i++)
        payload[i] = (unsigned char)(7 * i + 1);
    scene_attach(handlers, 4, (2 * PLACES * ROOM + 65535) & ~65535);
    gasnet_getSegmentInfo(segments, PROCESSES);
    scene_barrier();
    sim_begin();
    sent = sim_common(sizeof *sent);
    pthread_create(&thread, NULL, send, (void *)1L);
    send((void *)0L);
    pthread_join(thread, NULL);
    scene_barrier();
    GASNET_BLOCKUNTIL(__atomic_load_n(&handled, __ATOMIC_ACQUIRE) ==
                      __atomic_load_n(&sent->to[gasnet_mynode()], __ATOMIC_RELAXED));
    scene_barrier();
    sim_end();
    gasnet_exit(0);
}

const sim_scene_t sim_scene = {
    .name = "am_loaded", .npes = PROCESSES, .nnodes = 2, .run = run, .most_steps = 64000000};
