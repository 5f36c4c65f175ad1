// SPDX-License-Identifier: BSD-3-Clause
//
//     replies MODE [ROUNDS]
//
// Replies that return over the connection of their request, and others beside them: every PE has
// many requests in flight to all PEs of other nodes, of all sizes, and each reply must arrive once,
// whole, and belong to its own request. The program ends when every PE has got replies by both
// paths, so a path that is never taken shows as a time-out.
//     plain   nothing else
//     never   no reply may return over the connection of its request
//     quiet   puts and quiets meanwhile, during which replies arrive but no handler may run
//     cut     the first PE shuts its connections in flight: the job must end
//     die     as cut, but the PE is killed
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "am_test.h"
#include "core/am/private.h"
#include "core/am/wire.h"

enum { SHORT = 1, MEDIUM, SHORT_BACK, MEDIUM_BACK, ONEWAY, WINDOW = 48, MOST_ROUNDS = 20000 };

static uint32_t number_of[WINDOW];  // the request in flight there
static bool due[WINDOW];
static uint64_t ndue, got, oneways;
static bool in_quiet;
static uint64_t random_state;

static uint32_t draw(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33);
}

// ---------------------------------------------------------------- at the target
/** The kind and size of a reply follow from the number of its request. */
static void send_reply(cw_am_msg_t *msg, uint32_t slot, uint32_t number)
{
    uint8_t bytes[CW_AM_PACKET];
    uint32_t args[2] = {slot, number};
    size_t nbytes = number % 4 ? number % 200 : number % (CW_AM_PACKET + 1);
    if (number % 8 < 5) {
        cw_am_reply_short(msg, HEAD(SHORT_BACK, 2), args);
    } else {
        fill_pattern(bytes, nbytes, number + 1);
        cw_am_reply_medium(msg, HEAD(MEDIUM_BACK, 2), args, bytes, nbytes);
    }
}

static void short_asked(cw_am_msg_t *msg, uint32_t slot, uint32_t number)
{
    CHECK(!in_quiet);
    send_reply(msg, slot, number);
}

static void medium_asked(cw_am_msg_t *msg, void *payload, size_t nbytes, uint32_t slot,
                         uint32_t number)
{
    CHECK(!in_quiet && is_pattern(payload, nbytes, number));
    send_reply(msg, slot, number);
}

static void oneway(cw_am_msg_t *msg)
{
    (void)msg;
    oneways++;
}

// ---------------------------------------------------------------- at the PE that asked
static void take(uint32_t slot, uint32_t number)
{
    CHECK(!in_quiet && slot < WINDOW && due[slot] && number_of[slot] == number);
    due[slot % WINDOW] = false;
    ndue--;
    got++;
}

static void short_back(cw_am_msg_t *msg, uint32_t slot, uint32_t number)
{
    CHECK(msg->is_reply && number % 8 < 5);
    take(slot, number);
}

static void medium_back(cw_am_msg_t *msg, void *payload, size_t nbytes, uint32_t slot,
                        uint32_t number)
{
    size_t want = number % 4 ? number % 200 : number % (CW_AM_PACKET + 1);
    CHECK(msg->is_reply && nbytes == want && is_pattern(payload, nbytes, number + 1));
    take(slot, number);
}

static void ask(int pe, uint32_t slot)
{
    static uint8_t bytes[CW_AM_PACKET];
    uint32_t args[2] = {slot, draw()};
    size_t nbytes = draw() % 8 ? draw() % 100 : draw() % (CW_AM_PACKET + 1);
    number_of[slot] = args[1];
    due[slot] = true;
    ndue++;
    if (draw() % 4) {
        cw_am_short2(pe, HEAD(SHORT, 2), args[0], args[1]);
    } else {
        fill_pattern(bytes, nbytes, args[1]);
        cw_am_request_medium(pe, HEAD(MEDIUM, 2), args, bytes, nbytes, 0);
    }
}

/** A PE of another node. */
static int remote_pe(void)
{
    int pe;
    do
        pe = (int)(draw() % (uint32_t)cw_world.npes);
    while (cw_world.node_of_pe[pe] == cw_world.node);
    return pe;
}

static void await_all(void)
{
    cw_wait_t w = CW_WAIT_INIT("replies");
    while (ndue > 0)
        cw_wait_round(&w);
    cw_wait_done(&w);
}

static void one_round(uint64_t *word, bool quiet)
{
    uint32_t window = 1 + draw() % WINDOW;
    for (uint32_t slot = 0; slot < window; slot++) {
        ask(remote_pe(), slot);
        if (quiet && draw() % 16 == 0) {
            uint64_t value = draw();
            cw_put(&cw_ctx_default, &word[cw_world.pe], &value, sizeof value, remote_pe());
            in_quiet = true;
            cw_quiet_default();
            in_quiet = false;
        }
        if (draw() % 8 == 0)
            cw_am_short0(remote_pe(), HEAD(ONEWAY, 0));
    }
    await_all();
}

// ---------------------------------------------------------------- bytes that are none of ours
/** A malformed notification must be dropped. The last ones are wrong in one field each. */
static void malformed(void)
{
    int pe = remote_pe(), node = cw_world.node_of_pe[pe];
    _Alignas(8) uint8_t bytes[CW_MESSAGE_MAX];
    cw_notify_am_t *note = (cw_notify_am_t *)(void *)bytes;
    for (int i = 0; i < 20000; i++) {
        for (size_t at = 0; at < 128; at += 4)
            *(uint32_t *)(void *)(bytes + at) = draw() * 2 + draw() % 2;
        cw_am_notified(NULL, node, bytes, draw() % (sizeof bytes + 1));
    }
    for (int wrong = 0; wrong < 8; wrong++) {
        *note = (cw_notify_am_t){
            .head = HEAD(SHORT_BACK, 2), .source = pe, .token = 1, .kind = CW_AM_SHORT};
        note->source = wrong == 0 ? cw_world.pe : wrong == 1 ? cw_world.npes : wrong == 2 ? -1 : pe;
        note->token = wrong == 3 ? CW_AM_TOKENS : 1;
        note->head = wrong == 4 ? HEAD(SHORT_BACK, 17) : HEAD(SHORT_BACK, 2);
        note->kind = wrong == 5 ? CW_AM_LONG : CW_AM_SHORT;
        note->nbytes = wrong == 6 ? 8 : 0;
        cw_am_notified(NULL, node, bytes, CW_NOTIFY_AM_NBYTES(2) + note->nbytes + (wrong == 7));
    }
    CHECK(atomic_load(&cw_am.notified) == 0 && atomic_load(&cw_am.mine->reply_tail) == 0);
}

// ---------------------------------------------------------------- the ends of jobs
static void cut_connections(void)
{
    for (int fd = 3; fd < 256; fd++) {
        struct sockaddr_storage peer;
        socklen_t nbytes = sizeof peer;
        if (getpeername(fd, (struct sockaddr *)&peer, &nbytes) == 0 && peer.ss_family != AF_UNIX)
            shutdown(fd, SHUT_RDWR);
    }
}

/** Sends one request at a time, until another process ends the job. */
static void until_the_end(const char *mode)
{
    for (int round = 0; round < 2000; round++) {
        if (round == 1000 && cw_world.pe == 0 && !strcmp(mode, "cut"))
            cut_connections();
        if (round == 1000 && cw_world.pe == 0 && !strcmp(mode, "die"))
            raise(SIGKILL);
        ask(remote_pe(), 0);
        await_all();
    }
    puts("nothing has ended the job");
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "plain";
    int rounds = argc > 2 ? atoi(argv[2]) : 100, round = 0;
    test_begin(CW_THREAD_SINGLE);
    cw_am_register(TEST_AM_CLIENT, SHORT, (cw_am_handler_t)short_asked);
    cw_am_register(TEST_AM_CLIENT, MEDIUM, (cw_am_handler_t)medium_asked);
    cw_am_register(TEST_AM_CLIENT, SHORT_BACK, (cw_am_handler_t)short_back);
    cw_am_register(TEST_AM_CLIENT, MEDIUM_BACK, (cw_am_handler_t)medium_back);
    cw_am_register(TEST_AM_CLIENT, ONEWAY, (cw_am_handler_t)oneway);
    size_t words = (size_t)cw_world.npes * sizeof(uint64_t);
    uint64_t *word = cw_heap_malloc(64, words), *direct = cw_heap_malloc(64, words),
             *stop = cw_heap_malloc(64, 8);
    memset(direct, 0, words);
    *stop = 0;
    random_state = (uint64_t)cw_world.pe * 7919 + 4711;
    malformed();
    cw_barrier(cw_group_world);
    if (!strcmp(mode, "cut") || !strcmp(mode, "die"))
        until_the_end(mode);
    for (; !*stop && round < MOST_ROUNDS; round++) {
        one_round(word, !strcmp(mode, "quiet"));
        uint64_t mine = atomic_load(&cw_am.notified);
        mine = strcmp(mode, "never") ? mine > 0 && mine < got : mine == 0;
        cw_put(&cw_ctx_default, &direct[cw_world.pe], &mine, sizeof mine, 0);
        cw_quiet_default();
        cw_barrier(cw_group_world);
        uint64_t all = round + 1 >= rounds;
        for (int pe = 0; cw_world.pe == 0 && pe < cw_world.npes; pe++)
            all = all && direct[pe];
        for (int pe = 0; cw_world.pe == 0 && pe < cw_world.npes; pe++)
            cw_put(&cw_ctx_default, stop, &all, sizeof all, pe);
        cw_quiet_default();
        cw_barrier(cw_group_world);
    }
    printf("PE %d: %llu replies, %llu of them over the connection of their request\n", cw_world.pe,
           (unsigned long long)got, (unsigned long long)atomic_load(&cw_am.notified));
    CHECK(*stop);
    return test_finish();
}
