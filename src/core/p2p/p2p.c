// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages (core/am) come in any order: each has a number, and early ones are held back.
// Five kinds travel:
//
//   EAGER   number, tag, space + data      waits here until it is received
//   OFFER   number, tag, space, nbytes     the data is with the sender, which waits
//   ANSWER  number                         to the sender of an offer: the data may come
//   PIECE   number, offset + data          into the memory of the receive that answered
//   TAKEN   nbytes                         to a sender: so much of its small messages was received
//
// Handlers only note what came; calls send.
#include "core/p2p/p2p.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "core/am/am.h"
#include "core/observe/check.h"
#include "core/progress/wait.h"
#include "core/world/world.h"

enum { CW_P2P_AM_CLIENT = CW_AM_CLIENTS - 2 };  // number of this client of messages (core/am/am.h)
#define OTHERS_NS UINT64_C(5000000000)  // of a wait, before messages not asked for matter
#define LOOK_NS (OTHERS_NS / 50)        // between looks at them: each goes through all PEs
enum { EAGER = 1, OFFER, ANSWER, PIECE, TAKEN };

typedef struct message {
    struct message *next;
    uint64_t came;  // place in the order of admission
    uint32_t number, space, nbytes;
    int tag, source;
    bool offered;  // the data is with the sender
    char data[];
} message_t;

/** Another process, as a source and as a destination. */
typedef struct peer {
    message_t *first, *last;  // admitted, not received yet
    message_t *early;         // by number, before those sent earlier
    uint32_t admitted;        // its messages
    uint32_t taken;           // bytes received that it does not know of
    uint32_t sent;            // messages to it
    uint32_t waiting;         // bytes there, perhaps not received
} peer_t;

/** A send that waits for its answer, or a receive of pieces. */
typedef struct exchange {
    struct exchange *next;
    int peer;
    uint32_t number, nbytes, got;
    char *buf;
    _Atomic bool done;  // set by a handler, after the data; read by the waiting thread
} exchange_t;

static struct {
    pthread_mutex_t lock;  // guards all below; never held across a call that waits
    peer_t *peer;          // [npes]
    int npes;
    uint64_t came;
    exchange_t *sends, *receives;
    unsigned epoch;  // of the job, and of the numbers
} p2p = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const cw_am_names_t names = {
    .send = {{"an answer to a message", "a message to a PE", "a message to a PE"},
             {"an answer to a message", "a message to a PE", "a message to a PE"}},
    .poll = "messages between two PEs",
};

static uint32_t head(int handler, int nargs)
{
    return CW_AM_HEAD(CW_P2P_AM_CLIENT, handler, nargs);
}

// ---------------------------------------------------------------- what came
static message_t *new_message(uint32_t number, uint32_t tag, uint32_t space, uint32_t nbytes)
{
    message_t *m = malloc(sizeof *m + nbytes);
    if (!m)
        cwu_fatal("out of memory for a message of %u bytes that is not received yet", nbytes);
    *m = (message_t){.number = number, .tag = (int)tag, .space = space, .nbytes = nbytes};
    return m;
}

static void append(peer_t *peer, message_t *m)
{
    m->next = NULL;
    m->came = p2p.came++;
    if (peer->last)
        peer->last->next = m;
    else
        peer->first = m;
    peer->last = m;
    peer->admitted++;
}

/** Under the lock. */
static void enter(message_t *m)
{
    peer_t *peer = &p2p.peer[m->source];
    uint32_t ahead = m->number - peer->admitted;
    if (ahead > INT_MAX)
        cwu_fatal("PE %d sent message %u twice; %u have come", m->source, m->number,
                  peer->admitted);
    if (ahead > 0) {
        message_t **at = &peer->early;
        while (*at && (*at)->number - peer->admitted < ahead)
            at = &(*at)->next;
        m->next = *at;
        *at = m;
        return;
    }
    append(peer, m);
    while (peer->early && peer->early->number == peer->admitted) {
        message_t *next = peer->early;
        peer->early = next->next;
        append(peer, next);
    }
}

static void enter_from(int source, message_t *m)
{
    m->source = source;
    pthread_mutex_lock(&p2p.lock);
    enter(m);
    pthread_mutex_unlock(&p2p.lock);
}

static void on_eager(cw_am_msg_t *token, void *data, size_t nbytes, uint32_t number, uint32_t tag,
                     uint32_t space)
{
    message_t *m = new_message(number, tag, space, (uint32_t)nbytes);
    memcpy(m->data, data, nbytes);
    enter_from(token->source, m);
}

static void on_offer(cw_am_msg_t *token, uint32_t number, uint32_t tag, uint32_t space,
                     uint32_t nbytes)
{
    message_t *m = new_message(number, tag, space, 0);
    m->nbytes = nbytes;
    m->offered = true;
    enter_from(token->source, m);
}

/** Under the lock. */
static exchange_t *find(exchange_t *list, int peer, uint32_t number)
{
    while (list && (list->peer != peer || list->number != number))
        list = list->next;
    return list;
}

static void on_answer(cw_am_msg_t *token, uint32_t number)
{
    pthread_mutex_lock(&p2p.lock);
    exchange_t *send = find(p2p.sends, token->source, number);
    if (!send)
        cwu_fatal("PE %d answered message %u, which was not offered to it", token->source, number);
    atomic_store_explicit(&send->done, true, memory_order_release);
    pthread_mutex_unlock(&p2p.lock);
}

static void on_piece(cw_am_msg_t *token, void *data, size_t nbytes, uint32_t number, uint32_t at)
{
    pthread_mutex_lock(&p2p.lock);
    exchange_t *receive = find(p2p.receives, token->source, number);
    if (!receive || at > receive->nbytes || nbytes > receive->nbytes - at ||
        nbytes > receive->nbytes - receive->got)
        cwu_fatal("PE %d sent %zu bytes at %u of message %u, which is not received into so much "
                  "memory",
                  token->source, nbytes, at, number);
    memcpy(receive->buf + at, data, nbytes);
    receive->got += (uint32_t)nbytes;
    if (receive->got == receive->nbytes)
        atomic_store_explicit(&receive->done, true, memory_order_release);
    pthread_mutex_unlock(&p2p.lock);
}

static void on_taken(cw_am_msg_t *token, uint32_t nbytes)
{
    pthread_mutex_lock(&p2p.lock);
    peer_t *peer = &p2p.peer[token->source];
    peer->waiting -= nbytes < peer->waiting ? nbytes : peer->waiting;
    pthread_mutex_unlock(&p2p.lock);
}

// ---------------------------------------------------------------- open and close
static void unlink_from(peer_t *peer, message_t *m, message_t *before)
{
    if (before)
        before->next = m->next;
    else
        peer->first = m->next;
    if (peer->last == m)
        peer->last = before;
}

/** What is left of an ended epoch. */
static void forget(void)
{
    for (int pe = 0; p2p.peer && pe < p2p.npes; pe++)
        for (message_t *m = p2p.peer[pe].early, *next; m; m = next) {
            next = m->next;
            free(m);
        }
    free(p2p.peer);
    p2p.npes = cw_world.npes;
}

/** Numbers go on when the process rejoins in the job's epoch: a message may still be on its way. */
void cw_p2p_open(const char *call)
{
    if (p2p.epoch != cw_world.epoch) {
        forget();
        p2p.peer = calloc((size_t)cw_world.npes, sizeof *p2p.peer);
        if (!p2p.peer)
            cwu_fatal("%s: out of memory for the messages of %d PEs", call, cw_world.npes);
        p2p.epoch = cw_world.epoch;
    }
    cw_am_open(CW_P2P_AM_CLIENT, &names);
    cw_am_register(CW_P2P_AM_CLIENT, EAGER, (cw_am_handler_t)on_eager);
    cw_am_register(CW_P2P_AM_CLIENT, OFFER, (cw_am_handler_t)on_offer);
    cw_am_register(CW_P2P_AM_CLIENT, ANSWER, (cw_am_handler_t)on_answer);
    cw_am_register(CW_P2P_AM_CLIENT, PIECE, (cw_am_handler_t)on_piece);
    cw_am_register(CW_P2P_AM_CLIENT, TAKEN, (cw_am_handler_t)on_taken);
}

/** Under the lock. */
static void drop(peer_t *peer, unsigned front_end)
{
    message_t *before = NULL;
    for (message_t *m = peer->first, *next; m; m = next) {
        next = m->next;
        if (m->space / CW_P2P_SPACES == front_end) {
            unlink_from(peer, m, before);
            free(m);
        } else {
            before = m;
        }
    }
}

void cw_p2p_close(unsigned front_end)
{
    cw_am_close(CW_P2P_AM_CLIENT);
    pthread_mutex_lock(&p2p.lock);
    for (int pe = 0; pe < cw_world.npes; pe++)
        drop(&p2p.peer[pe], front_end);
    pthread_mutex_unlock(&p2p.lock);
}

// ---------------------------------------------------------------- sends
static void begin(exchange_t *x, exchange_t **list)
{
    pthread_mutex_lock(&p2p.lock);
    x->next = *list;
    *list = x;
    pthread_mutex_unlock(&p2p.lock);
}

static void send_pieces(int pe, uint32_t number, const char *buf, size_t nbytes)
{
    for (size_t at = 0; at < nbytes; at += CW_AM_PACKET) {
        size_t n = nbytes - at < CW_AM_PACKET ? nbytes - at : CW_AM_PACKET;
        const uint32_t args[] = {number, (uint32_t)at};
        cw_am_request_medium(pe, head(PIECE, 2), args, buf + at, n, 0);
    }
}

/** A send under way. */
typedef struct sending {
    exchange_t x;  // offered, if waits
    const void *buf;
    size_t nbytes;
    bool waits;  // the data is still to be sent
} sending_t;

static void end(exchange_t *x, exchange_t **list)
{
    pthread_mutex_lock(&p2p.lock);
    while (*list != x)
        list = &(*list)->next;
    *list = x->next;
    pthread_mutex_unlock(&p2p.lock);
}

/** Sends the data if the peer has answered. s may be NULL. */
static void advance(sending_t *s)
{
    // pairs with the handler's store
    if (!s || !s->waits || !atomic_load_explicit(&s->x.done, memory_order_acquire))
        return;
    end(&s->x, &p2p.sends);
    s->waits = false;
    send_pieces(s->x.peer, s->x.number, s->buf, s->nbytes);
}

static void send_to_self(const cw_envelope_t *to, const void *buf, uint32_t nbytes)
{
    message_t *m = new_message(0, (uint32_t)to->tag, to->space, nbytes);
    memcpy(m->data, buf, nbytes);
    m->source = to->peer;
    pthread_mutex_lock(&p2p.lock);
    m->number = p2p.peer[to->peer].sent++;
    enter(m);
    pthread_mutex_unlock(&p2p.lock);
}

/** s stays in place until it is over. */
static void begin_send(const cw_envelope_t *to, const void *buf, size_t nbytes, sending_t *s)
{
    const uint32_t cost = (uint32_t)nbytes + CW_P2P_OVERHEAD;
    *s = (sending_t){.x.peer = to->peer, .buf = buf, .nbytes = nbytes};
    if (to->peer == cw_world.pe) {
        send_to_self(to, buf, (uint32_t)nbytes);
        return;
    }
    pthread_mutex_lock(&p2p.lock);
    peer_t *peer = &p2p.peer[to->peer];
    bool eager = nbytes <= CW_AM_PACKET && peer->waiting + cost <= CW_P2P_WAITING;
    if (eager)
        peer->waiting += cost;
    s->x.number = peer->sent++;
    pthread_mutex_unlock(&p2p.lock);
    const uint32_t args[] = {s->x.number, (uint32_t)to->tag, to->space, (uint32_t)nbytes};
    if (eager) {
        cw_am_request_medium(to->peer, head(EAGER, 3), args, buf, nbytes, 0);
        return;
    }
    s->waits = true;
    begin(&s->x, &p2p.sends);
    cw_am_request_short(to->peer, head(OFFER, 4), args, 0);
}

static void end_send(const char *call, sending_t *s)
{
    cw_wait_t w = CW_WAIT_NOTIFIED(call);
    for (advance(s); s->waits; advance(s))
        cw_wait_round(&w);
    cw_wait_done(&w);
}

void cw_p2p_send(const cw_envelope_t *to, const void *buf, size_t nbytes)
{
    sending_t s;
    begin_send(to, buf, nbytes, &s);
    end_send(to->call, &s);
}

// ---------------------------------------------------------------- receives
/** The first fitting message; *before_p: the one before it. Under the lock. */
static message_t *first_of(const cw_envelope_t *from, int source, message_t **before_p)
{
    *before_p = NULL;
    for (message_t *m = p2p.peer[source].first; m; *before_p = m, m = m->next)
        if (m->tag == from->tag && m->space == (uint32_t)from->space)
            return m;
    return NULL;
}

/** The message that came first of those that fit, or NULL. */
static message_t *take(const cw_envelope_t *from)
{
    message_t *best = NULL, *before = NULL;
    int lowest = from->peer == CW_P2P_ANY ? 0 : from->peer,
        highest = from->peer == CW_P2P_ANY ? cw_world.npes - 1 : from->peer;
    pthread_mutex_lock(&p2p.lock);
    for (int source = lowest; source <= highest; source++) {
        message_t *ahead, *m = first_of(from, source, &ahead);
        if (m && (!best || m->came < best->came)) {
            best = m;
            before = ahead;
        }
    }
    if (best)
        unlink_from(&p2p.peer[best->source], best, before);
    pthread_mutex_unlock(&p2p.lock);
    return best;
}

/** For reports: messages of the space that are not asked for; rather one of the sender that is. */
static void look_around(const cw_envelope_t *from, cw_wait_on_t *on)
{
    on->index = 0;
    pthread_mutex_lock(&p2p.lock);
    for (int source = 0; source < cw_world.npes; source++) {
        for (const message_t *m = p2p.peer[source].first; m; m = m->next) {
            if (m->space != (uint32_t)from->space)
                continue;
            if (on->index++ > 0 && (on->seen_pe == from->peer || source != from->peer))
                continue;
            on->seen_pe = source;
            on->seen = m->tag;
            on->nelems = m->nbytes;
        }
    }
    pthread_mutex_unlock(&p2p.lock);
}

/** In checking mode, once: the wait is long, and messages are there. */
static void say_others(const cw_envelope_t *from, const cw_wait_on_t *on, const cw_wait_t *w)
{
    static _Atomic bool said;
    char sender[32] = "any PE";
    if (on->index == 0 || cwu_now_ns() - w->since_ns < OTHERS_NS || atomic_exchange(&said, true))
        return;
    if (from->peer != CW_P2P_ANY)
        snprintf(sender, sizeof sender, "PE %d", from->peer);
    cw_check_warn(from->call,
                  "has waited %llu s for a message with tag %d of %s; %zu wait here, one of them "
                  "of PE %d with tag %lld and %zu bytes",
                  (unsigned long long)(OTHERS_NS / 1000000000u), from->tag, sender, on->index,
                  on->seen_pe, (long long)on->seen, on->nelems);
}

/** For a look? Not at first: most waits end before. */
static bool is_time(uint64_t *looked_ns_p)
{
    const uint64_t now = cwu_now_ns(), before = *looked_ns_p;
    if (before && now - before < LOOK_NS)
        return false;
    *looked_ns_p = now;
    return before != 0;
}

static message_t *await_message(const cw_envelope_t *from, sending_t *beside)
{
    message_t *m = take(from);
    if (m)
        return m;
    cw_wait_t w = CW_WAIT_NOTIFIED(from->call);
    cw_wait_on_t on = {.kind = CW_WAIT_MESSAGE, .behind = from->peer, .want = from->tag};
    w.on = &on;
    uint64_t looked_ns = 0;
    for (; !(m = take(from)); cw_wait_round(&w)) {
        if (w.announced && is_time(&looked_ns)) {  // it is about to sleep
            look_around(from, &on);
            if (CW_CHECKING())
                say_others(from, &on, &w);
        }
        advance(beside);
    }
    cw_wait_done(&w);
    return m;
}

/** Tells the sender when half of what it may have here is free again. */
static void give_back(const message_t *m)
{
    uint32_t back = 0;
    pthread_mutex_lock(&p2p.lock);
    peer_t *peer = &p2p.peer[m->source];
    peer->taken += m->nbytes + CW_P2P_OVERHEAD;
    if (peer->taken >= CW_P2P_WAITING / 2) {
        back = peer->taken;
        peer->taken = 0;
    }
    pthread_mutex_unlock(&p2p.lock);
    if (back)
        cw_am_request_short(m->source, head(TAKEN, 1), &back, 0);
}

static void fetch_offered(const char *call, const message_t *m, void *buf, sending_t *beside)
{
    exchange_t x = {.peer = m->source,
                    .number = m->number,
                    .nbytes = m->nbytes,
                    .buf = buf,
                    .done = m->nbytes == 0};
    begin(&x, &p2p.receives);
    cw_am_request_short(m->source, head(ANSWER, 1), &m->number, 0);
    cw_wait_t w = CW_WAIT_NOTIFIED(call);
    // pairs with the handlers' stores
    for (; !atomic_load_explicit(&x.done, memory_order_acquire); cw_wait_round(&w))
        advance(beside);
    cw_wait_done(&w);
    end(&x, &p2p.receives);
}

/** beside: a send of this thread that goes on meanwhile, or NULL. */
static size_t receive(const cw_envelope_t *from, void *buf, size_t nbytes, int *source_p,
                      sending_t *beside)
{
    message_t *m = await_message(from, beside);
    size_t came = m->nbytes;
    if (came > nbytes)
        cw_check_failed(
            from->call,
            "a message of process %d with tag %d has %zu bytes, and there is room for %zu",
            m->source, m->tag, came, nbytes);
    *source_p = m->source;
    if (m->offered) {
        fetch_offered(from->call, m, buf, beside);
    } else {
        memcpy(buf, m->data, came);
        if (m->source != cw_world.pe)
            give_back(m);
    }
    free(m);
    return came;
}

size_t cw_p2p_receive(const cw_envelope_t *from, void *buf, size_t nbytes, int *source_p)
{
    return receive(from, buf, nbytes, source_p, NULL);
}

size_t cw_p2p_send_receive(const cw_envelope_t *to, const void *send, size_t send_nbytes,
                           const cw_envelope_t *from, void *buf, size_t nbytes, int *source_p)
{
    sending_t s;
    begin_send(to, send, send_nbytes, &s);
    size_t came = receive(from, buf, nbytes, source_p, &s);
    end_send(to->call, &s);
    return came;
}
