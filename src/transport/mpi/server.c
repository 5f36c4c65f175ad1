// SPDX-License-Identifier: BSD-3-Clause
//
// The server half: a loop on MPI_Improbe. MPI's own work for windows is done in the same calls.
//
// MPI has nothing to block on, so a server that may block naps, and looks in between. Naps are
// short behind traffic and grow in a silence. Where MPI serves one thread only, the server's own
// thread does nothing: the process's first thread makes progress when it waits.
#include "transport/mpi/server.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/clock.h"
#include "base/copy/rows.h"
#include "base/error.h"
#include "base/futex.h"
#include "base/wait.h"
#include "transport/mpi/client.h"
#include "transport/mpi/moving.h"

#define TURN_MOST 64         // requests in a round of progress
#define ANSWERS_MOST 65536u  // being sent; clients' requests bound them long before
#define LOOK_NS 5000000u     // polls that long behind a hint

/** What is known of a client that takes notifications: one in each PE. */
typedef struct listener {
    uint16_t tag, nonce;
    uint16_t sent, received;  // notifications, modulo 2^16
    uint8_t room;
} listener_t;

struct cwt_from {
    cwt_server_t *server;
    int rank;
    mpw_ask_t ask;
    uint64_t reply_id;
    bool answered;
};

struct cwt_server {
    cwt_server_config_t config;
    mpw_sender_t sender;
    mpw_movings_t movings;
    listener_t *listeners;  // [size], by rank
    cwt_client_t *attached;
    cwt_stats_t stats;
    int error;
    _Atomic uint32_t woken;  // futex
    _Atomic uint64_t look_until_ns;
    _Atomic uint64_t busy_ns;  // when a request came last
    _Alignas(8) uint8_t message[MPW_WIRE_MOST];
};

int mpw_server_open(const cwt_server_config_t *config, cwt_server_t **server_p)
{
    mpw_await_join();
    // of this thread: the kernel's own, 50 us, makes three naps of the first one
    prctl(PR_SET_TIMERSLACK, 1);
    cwt_server_t *server = calloc(1, sizeof *server);
    listener_t *listeners = calloc((size_t)mpw_world.facts.size, sizeof *listeners);
    if (!server || !listeners) {
        cwu_error("no memory for the node server");
        free(server);
        free(listeners);
        return CW_ENOMEM;
    }
    server->config = *config;
    server->listeners = listeners;
    server->stats.endpoints = 1;
    *server_p = server;
    return 0;
}

int mpw_server_address(cwt_server_t *server, void *blob, size_t *nbytes_p)
{
    mpw_address_t address = {.name = MPW_ADDRESS_NAME, .rank = (uint32_t)mpw_world.facts.rank};
    (void)server;
    if (*nbytes_p < sizeof address)
        return CW_EINVAL;
    memcpy(blob, &address, sizeof address);
    *nbytes_p = sizeof address;
    return 0;
}

/** MPI's communicator belongs to the job, so the job's secret proves nothing more. */
int mpw_server_secret(cwt_server_t *server, const uint8_t secret[CWT_SECRET_BYTES])
{
    memcpy(server->config.secret, secret, CWT_SECRET_BYTES);
    return 0;
}

// ---------------------------------------------------------------- answers

/** CW_EAGAIN: no memory for another message now. */
static int answer(cwt_server_t *server, int rank, uint16_t tag, const mpw_answer_t *head,
                  const void *first, size_t first_nbytes, const void *second, size_t second_nbytes)
{
    mpw_slot_t *slot = mpw_sender_take(&server->sender, ANSWERS_MOST);
    if (!slot)
        return CW_EAGAIN;
    uint8_t *at = slot->bytes;
    memcpy(at, head, sizeof *head);
    if (first_nbytes)
        memcpy(at += sizeof *head, first, first_nbytes);
    if (second_nbytes)
        memcpy(slot->bytes + sizeof *head + first_nbytes, second, second_nbytes);
    int rc = mpw_sender_send(&server->sender, slot, rank, tag,
                             sizeof *head + first_nbytes + second_nbytes);
    return rc ? server->error = mpw_failed("sending an answer", NULL, rc) : 0;
}

static int answer_request(cwt_from_t *from, mpw_kind_t kind, const void *payload, size_t nbytes)
{
    cwt_server_t *server = from->server;
    mpw_answer_t head = {.reply_id = from->reply_id,
                         .seq = from->ask.seq,
                         .nonce = from->ask.nonce,
                         .kind = (uint16_t)kind};
    int rc = answer(server, from->rank, from->ask.tag, &head, payload, nbytes, NULL, 0);
    if (rc == CW_EAGAIN) {
        cwu_error("no memory for a reply to PE %d", from->rank);
        server->error = rc = CW_ENOMEM;
    }
    from->answered = true;
    return rc;
}

int mpw_server_reply(cwt_from_t *from, const void *payload, size_t nbytes)
{
    if (nbytes > CWT_MESSAGE_MAX)
        return CW_EINVAL;
    from->server->stats.replies++;
    return answer_request(from, MPW_REPLY, payload, nbytes);
}

// ---------------------------------------------------------------- notifications

/** The name of a client, which no other one has had within 2^16 of them. */
static uint64_t name_of(int rank, uint16_t nonce)
{
    return (uint64_t)(rank + 1) << 32 | (uint32_t)nonce << 8 | 0x5a;
}

static void note_listener(cwt_server_t *server, int rank, const mpw_ask_t *ask)
{
    listener_t *l = &server->listeners[rank];
    if (ask->room == 0)
        return;
    if (l->nonce != ask->nonce || l->tag != ask->tag || l->room == 0)
        *l = (listener_t){.tag = ask->tag, .nonce = ask->nonce};
    l->room = ask->room;
    l->received = ask->notified;
}

uint64_t mpw_server_origin(const cwt_from_t *from)
{
    return from->ask.room ? name_of(from->rank, from->ask.nonce) : 0;
}

uint32_t mpw_server_pe(const cwt_from_t *from)
{
    return (uint32_t)from->rank;
}

int mpw_server_notify(cwt_server_t *server, uint64_t origin, const void *head, size_t head_nbytes,
                      const void *payload, size_t payload_nbytes)
{
    uint64_t rank = (origin >> 32) - 1;
    if (rank >= (uint64_t)mpw_world.facts.size || !mpw_is_allowed() ||
        head_nbytes + payload_nbytes > CWT_MESSAGE_MAX)
        return CW_EAGAIN;
    listener_t *l = &server->listeners[rank];
    if (l->room == 0 || name_of((int)rank, l->nonce) != origin ||
        (uint16_t)(l->sent - l->received) >= l->room)
        return CW_EAGAIN;
    mpw_answer_t answered = {.nonce = l->nonce, .kind = MPW_NOTIFICATION};
    int rc =
        answer(server, (int)rank, l->tag, &answered, head, head_nbytes, payload, payload_nbytes);
    l->sent += rc == 0;
    return rc ? CW_EAGAIN : 0;
}

// ---------------------------------------------------------------- requests

/** Where the move's bytes are, or NULL: outside of the node object. */
static char *memory_of(const cwt_server_t *server, const mpw_move_t *move)
{
    const cwt_layout_t *layout = &server->config.layout;
    uint64_t total = layout->slice_offset + layout->nslots * layout->slice_stride;
    bool is_inside = move->offset <= total && move->nbytes <= total - move->offset;
    return is_inside ? (char *)server->config.base + move->offset : NULL;
}

/** A put or get by messages: [ask | move | bytes of a small put]. */
static int execute_move(cwt_from_t *from, size_t nbytes)
{
    cwt_server_t *server = from->server;
    const size_t head_nbytes = sizeof from->ask + sizeof(mpw_move_t);
    mpw_move_t move;
    if (nbytes < head_nbytes)
        return CW_EPROTO;
    memcpy(&move, server->message + sizeof from->ask, sizeof move);
    char *memory = memory_of(server, &move);
    bool is_here = move.kind == MPW_PUT_HERE || move.kind == MPW_GET_HERE;
    if (!memory || (is_here ? move.nbytes > MPW_HERE_MOST : move.nbytes > CWT_MPI_COUNT_MAX) ||
        move.track >= MPW_TRACKS)
        return CW_EPROTO;
    from->reply_id = move.reply_id;
    mpw_answer_t head = {.reply_id = move.reply_id, .seq = from->ask.seq, .nonce = from->ask.nonce};
    switch (move.kind) {
    case MPW_PUT_HERE:
        if (nbytes - head_nbytes != move.nbytes)
            return CW_EPROTO;
        cwu_copy(memory, server->message + head_nbytes, move.nbytes);
        return 0;
    case MPW_GET_HERE:
        return answer_request(from, MPW_REPLY, memory, move.nbytes);
    case MPW_PUT_DATA:
        head.kind = MPW_REPLY;
        break;
    case MPW_GET_DATA:
        break;
    default:
        return CW_EPROTO;
    }
    return mpw_moving_begin(&server->movings, from->rank, from->ask.tag, &move, memory, &head);
}

/** The large ones that are over, and their answers. */
static int end_moves(cwt_server_t *server)
{
    mpw_moving_t *moving;
    for (int events = 0;; events++) {
        int rc = mpw_moving_take(&server->movings, &moving);
        if (rc || !moving)
            return rc ? server->error = rc : events;
        if (moving->answer.kind)
            rc = answer(server, moving->rank, moving->tag, &moving->answer, NULL, 0, NULL, 0);
        mpw_moving_give(&server->movings, moving);
        if (rc == CW_EAGAIN)
            cwu_error("no memory for the answer to a put");
        if (rc)
            return server->error = rc == CW_EAGAIN ? CW_ENOMEM : rc;
    }
}

static int execute(cwt_server_t *server, int rank, size_t nbytes)
{
    cwt_from_t from = {.server = server, .rank = rank};
    cwt_header_t header;
    if (nbytes < sizeof from.ask + sizeof header)
        return CW_EPROTO;
    memcpy(&from.ask, server->message, sizeof from.ask);
    memcpy(&header, server->message + sizeof from.ask, sizeof header);
    note_listener(server, rank, &from.ask);
    if (from.ask.flags & MPW_ASK_LOOK)
        atomic_store_explicit(&server->look_until_ns, cwu_now_ns() + LOOK_NS, memory_order_relaxed);
    if (from.ask.flags & MPW_ASK_MOVE) {
        int rc = execute_move(&from, nbytes);
        if (rc)
            return rc;
    } else if (!(from.ask.flags & MPW_ASK_NOP)) {
        nbytes -= sizeof from.ask;
        if (header.nbytes != nbytes)
            return CW_EPROTO;
        from.reply_id = header.reply_id;
        server->stats.requests++;
        server->config.handler(server->config.handler_arg, &from,
                               (const cwt_header_t *)(void *)(server->message + sizeof from.ask),
                               nbytes);
    }
    if ((from.ask.flags & MPW_ASK_ACK) && !from.answered)
        return answer_request(&from, MPW_ACK, NULL, 0);
    return server->error;
}

static int serve(cwt_server_t *server)
{
    int events = 0;
    for (; events < TURN_MOST; events++) {
        int rank = 0, nbytes = -1;
        int rc = mpw_world.plugin->receive(MPW_REQUEST_TAG, server->message, sizeof server->message,
                                           &rank, &nbytes);
        if (rc)
            return server->error = mpw_failed("receiving a request", NULL, rc);
        if (nbytes < 0)
            break;
        if ((rc = execute(server, rank, (size_t)nbytes))) {
            if (rc == CW_EPROTO)
                cwu_error("a request of PE %d follows no rule of the protocol", rank);
            return server->error = rc;
        }
    }
    return events;
}

int mpw_server_progress(cwt_server_t *server)
{
    if (!mpw_is_allowed() || server->error)
        return server->error;
    mpw_sender_reap(&server->sender);
    int events = serve(server), own = 0;
    int ended = events >= 0 && server->movings.first ? end_moves(server) : 0;
    if (events < 0 || ended < 0)
        return events < 0 ? events : ended;
    events += ended;
    if (server->attached && (own = mpw_poll(server->attached)) < 0)
        return own;
    if (events + own > 0)
        atomic_store_explicit(&server->busy_ns, cwu_now_ns(), memory_order_relaxed);
    return events + own;
}

void mpw_server_attach(cwt_server_t *server, cwt_client_t *client)
{
    server->attached = client;
}

// ---------------------------------------------------------------- sleep

bool mpw_server_may_block(cwt_server_t *server)
{
    return !mpw_is_allowed() ||
           cwu_now_ns() >= atomic_load_explicit(&server->look_until_ns, memory_order_relaxed);
}

/** Is there a message for the server, or for the client that it makes progress for? */
static bool has_traffic(const cwt_server_t *server)
{
    bool there = false;
    int rc = mpw_world.plugin->peek(MPW_REQUEST_TAG, &there);
    if (rc == 0 && !there && server->attached)
        rc = mpw_world.plugin->peek(server->attached->tag, &there);
    return there || rc;  // progress reports the failure
}

static uint64_t nap_ns(const cwt_server_t *server, uint64_t now)
{
    uint64_t silence = now - atomic_load_explicit(&server->busy_ns, memory_order_relaxed);
    return cwu_wait_nap_ns(silence);
}

int mpw_server_block(cwt_server_t *server, uint64_t timeout_ns)
{
    uint64_t start = cwu_now_ns(), now = start, end = start + timeout_ns;
    bool may_look = mpw_is_allowed();
    while (now < end) {
        uint64_t nap = may_look ? nap_ns(server, now) : timeout_ns;
        cwu_futex_wait((uint32_t *)&server->woken, 0, nap < end - now ? nap : end - now);
        bool moves = atomic_load_explicit(&server->movings.count, memory_order_relaxed) > 0;
        // pairs with mpw_server_wake
        if (atomic_exchange(&server->woken, 0) || (may_look && (moves || has_traffic(server))))
            return 1;
        now = cwu_now_ns();
    }
    return 0;
}

void mpw_server_wake(cwt_server_t *server)
{
    atomic_store(&server->woken, 1);
    cwu_futex_wake((uint32_t *)&server->woken, 1);
}

void mpw_server_stats(const cwt_server_t *server, cwt_stats_t *stats_p)
{
    *stats_p = server->stats;
}

void mpw_server_close(cwt_server_t *server)
{
    while (mpw_world.joined && mpw_is_allowed() && !server->error &&
           (!mpw_sender_reap(&server->sender) || server->movings.first))
        if (end_moves(server) == 0)
            cwu_cpu_pause();
    mpw_sender_close(&server->sender);
    mpw_moving_close(&server->movings);
    free(server->listeners);
    free(server);
}
