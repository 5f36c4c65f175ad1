// SPDX-License-Identifier: BSD-3-Clause
//
// The table of requests without a reply, handlers, operations, lists of pieces.
#include "core/owner/copy.h"

#include "base/error.h"
#include "base/lock.h"
#include "core/am/am.h"
#include "core/mem/foreign.h"
#include "core/observe/address.h"

// Handlers of the client CW_OWNER_AM_CLIENT.
enum { PUT = 1, GET, SET, DONE, GOT, PUT_FOREIGN, PUT_PIECES, GET_PIECES };
enum { REQUESTS = 1024, FREE = UINT32_MAX };  // more than core lets a process have in flight

/** 64 bits in two arguments. */
#define WORD2(x) (uint32_t)(uint64_t)(x), (uint32_t)((uint64_t)(x) >> 32)

/** A piece in a message; a put's bytes follow, padded to 8. */
typedef struct piece {
    uint64_t addr, nbytes;
} piece_t;

enum {
    PIECE_MAX = 1023,  // bytes; larger pieces travel alone
    PIECES_OF_GET = CW_AM_PACKET / sizeof(piece_t)
};

/** A request without its reply. */
typedef struct request {
    cw_handle_op_t *op;
    void *dest;       // of a get
    bool scattered;   // dest is a cw_scatter_t
    uint32_t nbytes;  // that it wants
    uint32_t pe;      // FREE: none
    uint32_t next;    // free
} request_t;

static const cw_owner_config_t *config;  // of the owner that copies, or NULL
static bool (*private_shares)(const void *addr, size_t nbytes);  // or NULL

static struct {
    cwu_lock_t lock;                  // guards the rest
    uint32_t first_free, never_used;  // 0: none; else place + 1
    request_t table[REQUESTS];
} requests CW_LARGE;

static uint64_t joined(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

static size_t padded(size_t nbytes)
{
    return (nbytes + 7) & ~(size_t)7;
}

static uint32_t head_of(int handler, int nargs)
{
    return CW_AM_HEAD(CW_OWNER_AM_CLIENT, handler, nargs);
}

// ---------------------------------------------------------------- requests in flight
static bool find_place(uint32_t *id_p)
{
    cwu_lock(&requests.lock);
    bool found = requests.first_free || requests.never_used < REQUESTS;
    if (requests.first_free) {
        *id_p = requests.first_free - 1;
        requests.first_free = requests.table[*id_p].next;
    } else if (found) {
        *id_p = requests.never_used++;
    }
    if (found)
        requests.table[*id_p].pe = FREE;
    cwu_unlock(&requests.lock);
    return found;
}

/** Returns the number that names the request in the reply. */
static uint32_t add_request(const request_t *request)
{
    uint32_t id = 0;
    cw_wait_t w = CW_WAIT_NOTIFIED("a place for one more copy in flight");
    while (!find_place(&id))
        cw_handle_messages.wait_round(&w);
    cw_wait_done(&w);
    atomic_fetch_add_explicit(&request->op->pending, 1, memory_order_relaxed);
    cwu_lock(&requests.lock);
    requests.table[id] = *request;
    cwu_unlock(&requests.lock);
    return id;
}

/** The request named by the reply; frees its place. */
static request_t take_request(const cw_am_msg_t *msg, uint32_t id, size_t nbytes)
{
    request_t was = {.pe = FREE};
    cwu_lock(&requests.lock);
    if (id < requests.never_used && requests.table[id].pe == (uint32_t)msg->source &&
        requests.table[id].nbytes == nbytes) {
        was = requests.table[id];
        requests.table[id] = (request_t){.pe = FREE, .next = requests.first_free};
        requests.first_free = id + 1;
    }
    cwu_unlock(&requests.lock);
    if (was.pe == FREE)
        cwu_fatal("PE %d replied with %zu bytes to a request that this PE never sent", msg->source,
                  nbytes);
    return was;
}

static void count_down(const request_t *was)
{
    // pairs with cw_handle_op_is_pending
    atomic_fetch_sub_explicit(&was->op->pending, 1, memory_order_release);
}

// ---------------------------------------------------------------- handlers
/** Mapped or registered memory is not asked for by messages, so not shared here. */
static bool is_shared(const void *addr, size_t nbytes)
{
    return (config && (config->outside || config->shares(addr, nbytes))) ||
           (private_shares && private_shares(addr, nbytes)) ||
           (cw_foreign && cw_foreign->shares(addr, nbytes));
}

/** Of what core copies itself: host memory. */
static bool takes(const cw_am_msg_t *msg, const void *addr, size_t nbytes)
{
    (void)msg;
    return is_shared(addr, nbytes) && !cw_foreign_holds(addr);
}

static void *shared(const cw_am_msg_t *msg, uint32_t low, uint32_t high, size_t nbytes, size_t most)
{
    void *addr = (void *)(uintptr_t)joined(low, high);
    if (nbytes > most || !is_shared(addr, nbytes))
        cwu_fatal("PE %d asked for %zu bytes at %s, which is not in a segment of this PE",
                  msg->source, nbytes, cw_at(addr, nbytes));
    return addr;
}

static void on_put(cw_am_msg_t *token, void *payload, size_t nbytes, uint32_t id)
{
    (void)payload, (void)nbytes;  // there already
    cw_am_reply_short(token, head_of(DONE, 1), &id);
}

static void on_set(cw_am_msg_t *token, uint32_t dest0, uint32_t dest1, uint32_t n0, uint32_t n1,
                   uint32_t value, uint32_t id)
{
    size_t nbytes = joined(n0, n1);
    void *dest = shared(token, dest0, dest1, nbytes, SIZE_MAX);
    if (cw_foreign_holds(dest))
        cwu_fatal("PE %d asked for a fill of device memory", token->source);
    memset(dest, (int)value, nbytes);
    cw_am_reply_short(token, head_of(DONE, 1), &id);
}

static void on_put_foreign(cw_am_msg_t *token, void *payload, size_t nbytes, uint32_t dest0,
                           uint32_t dest1, uint32_t id)
{
    void *dest = shared(token, dest0, dest1, nbytes, CW_AM_PACKET);
    if (!cw_foreign_holds(dest))
        cwu_fatal("PE %d takes %s for device memory", token->source, cw_at(dest, nbytes));
    cw_foreign->store(dest, payload, nbytes);
    cw_am_reply_short(token, head_of(DONE, 1), &id);
}

static void on_get(cw_am_msg_t *token, uint32_t src0, uint32_t src1, uint32_t nbytes, uint32_t id)
{
    char part[CW_AM_PACKET];
    const void *src = shared(token, src0, src1, nbytes, sizeof part);
    if (cw_foreign_holds(src)) {
        cw_foreign->store(part, src, nbytes);
        src = part;
    }
    cw_am_reply_medium(token, head_of(GOT, 1), &id, src, nbytes);
}

/** The next piece of a message. False: there is none. */
static bool next_piece(const char **at_p, const char *end, piece_t *piece_p)
{
    if ((size_t)(end - *at_p) < sizeof *piece_p)
        return false;
    memcpy(piece_p, *at_p, sizeof *piece_p);
    *at_p += sizeof *piece_p;
    return true;
}

static void on_put_pieces(cw_am_msg_t *token, void *payload, size_t nbytes, uint32_t id)
{
    const char *at = payload, *end = at + nbytes;
    for (piece_t piece; next_piece(&at, end, &piece); at += padded(piece.nbytes)) {
        void *dest =
            shared(token, WORD2(piece.addr), piece.nbytes, (size_t)(end - at) & ~(size_t)7);
        memcpy(dest, at, piece.nbytes);
    }
    cw_am_reply_short(token, head_of(DONE, 1), &id);
}

static void on_get_pieces(cw_am_msg_t *token, void *payload, size_t nbytes, uint32_t id)
{
    char part[CW_AM_PACKET];
    const char *at = payload, *end = at + nbytes;
    size_t done = 0;
    for (piece_t piece; next_piece(&at, end, &piece); done += piece.nbytes)
        memcpy(part + done, shared(token, WORD2(piece.addr), piece.nbytes, sizeof part - done),
               piece.nbytes);
    cw_am_reply_medium(token, head_of(GOT, 1), &id, part, done);
}

static void on_done(cw_am_msg_t *token, uint32_t id)
{
    request_t was = take_request(token, id, 0);
    count_down(&was);
}

static void on_got(cw_am_msg_t *token, void *payload, size_t nbytes, uint32_t id)
{
    request_t was = take_request(token, id, nbytes);
    if (was.scattered)
        cw_scatter_take(was.dest, payload, nbytes);
    else
        memcpy(was.dest, payload, nbytes);
    count_down(&was);
}

static void register_handlers(void)
{
    cw_am_register(CW_OWNER_AM_CLIENT, PUT, (cw_am_handler_t)on_put);
    cw_am_register(CW_OWNER_AM_CLIENT, GET, (cw_am_handler_t)on_get);
    cw_am_register(CW_OWNER_AM_CLIENT, SET, (cw_am_handler_t)on_set);
    cw_am_register(CW_OWNER_AM_CLIENT, DONE, (cw_am_handler_t)on_done);
    cw_am_register(CW_OWNER_AM_CLIENT, GOT, (cw_am_handler_t)on_got);
    cw_am_register(CW_OWNER_AM_CLIENT, PUT_FOREIGN, (cw_am_handler_t)on_put_foreign);
    cw_am_register(CW_OWNER_AM_CLIENT, PUT_PIECES, (cw_am_handler_t)on_put_pieces);
    cw_am_register(CW_OWNER_AM_CLIENT, GET_PIECES, (cw_am_handler_t)on_get_pieces);
    cw_am_take_raw(CW_OWNER_AM_CLIENT, takes);
}

void cw_owner_copy_register(const cw_owner_t *owner)
{
    config = &owner->config;
    cw_handle_messages = (cw_handle_messages_t){.implicit = config->outside,
                                                .wait_begin = config->wait_begin,
                                                .wait_round = config->wait_round};
    register_handlers();
}

void cw_owner_copy_register_shares(bool (*shares)(const void *addr, size_t nbytes))
{
    private_shares = shares;
    register_handlers();
}

void cw_owner_copy_register_foreign(void)
{
    register_handlers();
}

void cw_owner_copy_open(void)
{
    static const cw_am_names_t names = {
        .send = {{"a request to its owner", "a request to its owner", "a put copied by its owner"},
                 {"a reply of the owner", "a get copied by its owner", "a reply of the owner"}},
        .poll = "copies by the owner",
    };
    cw_am_open(CW_OWNER_AM_CLIENT, &names);
}

void cw_owner_copy_close(void)
{
    cw_am_close(CW_OWNER_AM_CLIENT);
}

// ---------------------------------------------------------------- operations
static size_t chunk(size_t nbytes)
{
    return nbytes < CW_AM_PACKET ? nbytes : CW_AM_PACKET;
}

void cw_owner_copy_put(uint32_t pe, void *dest, const void *src, size_t nbytes, cw_handle_op_t *op)
{
    for (size_t at = 0, n; at < nbytes; at += n) {
        n = chunk(nbytes - at);
        uint32_t id = add_request(&(request_t){.op = op, .pe = pe});
        cw_am_request_long((int)pe, head_of(PUT, 1), &id, (const char *)src + at, n,
                           (char *)dest + at, CW_AM_RAW);
    }
}

void cw_owner_copy_put_foreign(uint32_t pe, void *dest, const void *src, size_t nbytes,
                               cw_handle_op_t *op)
{
    for (size_t at = 0, n; at < nbytes; at += n) {
        n = chunk(nbytes - at);
        const uint32_t args[] = {WORD2((uintptr_t)dest + at),
                                 add_request(&(request_t){.op = op, .pe = pe})};
        cw_am_request_medium((int)pe, head_of(PUT_FOREIGN, 3), args, (const char *)src + at, n, 0);
    }
}

void cw_owner_copy_get(void *dest, uint32_t pe, const void *src, size_t nbytes, cw_handle_op_t *op)
{
    for (size_t at = 0, n; at < nbytes; at += n) {
        n = chunk(nbytes - at);
        uint32_t id = add_request(
            &(request_t){.op = op, .dest = (char *)dest + at, .nbytes = (uint32_t)n, .pe = pe});
        cw_am_request_short((int)pe, head_of(GET, 4),
                            (uint32_t[]){WORD2((uintptr_t)src + at), (uint32_t)n, id}, 0);
    }
}

void cw_owner_copy_set(uint32_t pe, void *dest, int value, size_t nbytes, cw_handle_op_t *op)
{
    uint32_t id = add_request(&(request_t){.op = op, .pe = pe});
    const uint32_t args[] = {WORD2((uintptr_t)dest), WORD2(nbytes), (uint8_t)value, id};
    cw_am_request_short((int)pe, head_of(SET, 6), args, 0);
}

// ---------------------------------------------------------------- pieces
void cw_owner_pieces_begin(cw_owner_pieces_t *p, uint32_t pe, bool put, cw_handle_op_t *op)
{
    p->pe = pe;
    p->put = put;
    p->op = op;
    p->nbytes = 0;
    p->reply = NULL;
}

void cw_owner_pieces_end(cw_owner_pieces_t *p)
{
    const cw_scatter_t *reply = p->reply;
    if (p->nbytes == 0)
        return;
    uint32_t id = add_request(&(request_t){.op = p->op,
                                           .dest = p->reply,
                                           .scattered = !p->put,
                                           .nbytes = reply ? (uint32_t)reply->reply.capacity : 0,
                                           .pe = p->pe});
    cw_am_request_medium((int)p->pe, head_of(p->put ? PUT_PIECES : GET_PIECES, 1), &id, p->message,
                         p->nbytes, 0);
    p->nbytes = 0;
    p->reply = NULL;
}

/** Room for a piece of a get, and for its bytes in the reply. False: no memory. */
static bool make_room(cw_owner_pieces_t *p, size_t nbytes)
{
    size_t of_reply = p->reply ? p->reply->reply.capacity : 0;
    if (p->nbytes + sizeof(piece_t) + (p->put ? padded(nbytes) : 0) > sizeof p->message ||
        of_reply + nbytes > CW_AM_PACKET)
        cw_owner_pieces_end(p);
    if (!p->put && !p->reply)
        p->reply = cw_scatter_create(PIECES_OF_GET, 1);
    return p->put || p->reply;
}

void cw_owner_pieces_add(cw_owner_pieces_t *p, void *remote, void *local, size_t nbytes)
{
    char *at = (char *)p->message;
    if (nbytes > PIECE_MAX || !make_room(p, nbytes)) {
        if (p->put)
            cw_owner_copy_put(p->pe, remote, local, nbytes, p->op);
        else
            cw_owner_copy_get(local, p->pe, remote, nbytes, p->op);
        return;
    }
    piece_t piece = {(uintptr_t)remote, nbytes};
    memcpy(at + p->nbytes, &piece, sizeof piece);
    p->nbytes += sizeof piece;
    if (p->put) {
        size_t room = padded(nbytes);
        memset(at + p->nbytes + room - 8, 0, 8);
        memcpy(at + p->nbytes, local, nbytes);
        p->nbytes += room;
    } else {
        cw_scatter_add(p->reply, local, nbytes);
    }
}
