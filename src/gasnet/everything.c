// SPDX-License-Identifier: BSD-3-Clause
//
// Puts, gets and memset in memory that no other process can map or the network reach
// (GASNET_SEGMENT_EVERYTHING, memory of clients that an endpoint of GASNet-EX has for a segment):
// the owner copies, in handlers, and answers. An operation counts its messages.
//
// What comes is not believed: an owner reads and writes what the process lets others have and
// nothing else, and an answer names what was asked by its place in a table here, which must be
// waiting for an answer of that node.
// Threads: any; `lock` guards the table.
#include "base/lock.h"
#include "gasnet/gas.h"

// Indexes of handlers below 128 are the library's.
enum { PUT = 1, GET, SET, DONE, GOT };
enum { MOST = 1024, NOBODY = UINT32_MAX };  // more than core lets a process have under way

/** 64 bits in two arguments. */
#define WORD2(x) (uint32_t)(uint64_t)(x), (uint32_t)((uint64_t)(x) >> 32)

/** A message without its answer. */
typedef struct asked {
    gas_op_t *op;
    void *dest;       // of a get
    uint32_t nbytes;  // that it wants
    uint32_t node;    // NOBODY: free
    uint32_t next;    // free
} asked_t;

static cwu_lock_t lock;
static asked_t table[MOST];
static uint32_t first_free, never_used;  // 0: none; else place + 1

static uint64_t joined(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

static uint32_t head_of(int handler, int nargs)
{
    return CW_AM_HEAD(CW_AM_GASNET, handler, nargs);
}

// ---------------------------------------------------------------- what was asked
static bool find_place(uint32_t *id_p)
{
    cwu_lock(&lock);
    bool found = first_free || never_used < MOST;
    if (first_free) {
        *id_p = first_free - 1;
        first_free = table[*id_p].next;
    } else if (found) {
        *id_p = never_used++;
    }
    if (found)
        table[*id_p].node = NOBODY;
    cwu_unlock(&lock);
    return found;
}

/** One more message of the operation: what names it in the answer. */
static uint32_t ask(gas_op_t *op, gasnet_node_t node, void *dest, size_t nbytes)
{
    uint32_t id = 0;
    cw_wait_t w = CW_WAIT_TOLD("a place for one more message under way");
    while (!find_place(&id))
        gas_wait_round(&w);
    cw_wait_done(&w);
    atomic_fetch_add_explicit(&op->pending, 1, memory_order_relaxed);
    cwu_lock(&lock);
    table[id] = (asked_t){.op = op, .dest = dest, .nbytes = (uint32_t)nbytes, .node = node};
    cwu_unlock(&lock);
    return id;
}

/** The answer has come: the place is free again. */
static asked_t answered(const cw_am_msg_t *msg, uint32_t id, size_t nbytes)
{
    asked_t was = {.node = NOBODY};
    cwu_lock(&lock);
    if (id < never_used && table[id].node == (uint32_t)msg->source && table[id].nbytes == nbytes) {
        was = table[id];
        table[id] = (asked_t){.node = NOBODY, .next = first_free};
        first_free = id + 1;
    }
    cwu_unlock(&lock);
    if (was.node == NOBODY)
        cwu_fatal("node %d answered with %zu bytes what this node never asked for", msg->source,
                  nbytes);
    return was;
}

static void done(const asked_t *was)
{
    // pairs with the waiter's acquire
    atomic_fetch_sub_explicit(&was->op->pending, 1, memory_order_release);
}

static size_t chunk(size_t nbytes)
{
    return nbytes < CW_AM_MAX_MEDIUM ? nbytes : CW_AM_MAX_MEDIUM;
}

// ---------------------------------------------------------------- handlers
/** Do others have that memory by messages? What is mapped or registered is not asked for so. */
static bool takes(const cw_am_msg_t *msg, const void *addr, size_t nbytes)
{
    (void)msg;
    return gas.segments == GAS_EVERYTHING || gex_is_bound(addr, nbytes);
}

static void *owned(const cw_am_msg_t *msg, uint32_t low, uint32_t high, size_t nbytes, size_t most)
{
    void *addr = (void *)(uintptr_t)joined(low, high);
    if (nbytes > most || !takes(msg, addr, nbytes))
        cwu_fatal("node %d wants %zu bytes at %p, which is not in a segment of this node",
                  msg->source, nbytes, addr);
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
    memset(owned(token, dest0, dest1, nbytes, SIZE_MAX), (int)value, nbytes);
    cw_am_reply_short(token, head_of(DONE, 1), &id);
}

static void on_get(cw_am_msg_t *token, uint32_t src0, uint32_t src1, uint32_t nbytes, uint32_t id)
{
    cw_am_reply_medium(token, head_of(GOT, 1), &id,
                       owned(token, src0, src1, nbytes, CW_AM_MAX_MEDIUM), nbytes);
}

static void on_done(cw_am_msg_t *token, uint32_t id)
{
    asked_t was = answered(token, id, 0);
    done(&was);
}

static void on_got(cw_am_msg_t *token, void *payload, size_t nbytes, uint32_t id)
{
    asked_t was = answered(token, id, nbytes);
    memcpy(was.dest, payload, nbytes);
    done(&was);
}

void gas_register_everything(void)
{
    cw_am_register(CW_AM_GASNET, PUT, (cw_am_handler_t)on_put);
    cw_am_register(CW_AM_GASNET, GET, (cw_am_handler_t)on_get);
    cw_am_register(CW_AM_GASNET, SET, (cw_am_handler_t)on_set);
    cw_am_register(CW_AM_GASNET, DONE, (cw_am_handler_t)on_done);
    cw_am_register(CW_AM_GASNET, GOT, (cw_am_handler_t)on_got);
    cw_am_take_raw(CW_AM_GASNET, takes);
    cw_am_take_raw(CW_AM_GEX, takes);
}

// ---------------------------------------------------------------- operations
void gas_far_put(gasnet_node_t node, void *dest, const void *src, size_t nbytes, gas_op_t *op)
{
    for (size_t at = 0, n; at < nbytes; at += n) {
        n = chunk(nbytes - at);
        uint32_t id = ask(op, node, NULL, 0);
        cw_am_request_long((int)node, head_of(PUT, 1), &id, (const char *)src + at, n,
                           (char *)dest + at, CW_AM_RAW);
    }
}

void gas_far_get(void *dest, gasnet_node_t node, const void *src, size_t nbytes, gas_op_t *op)
{
    for (size_t at = 0, n; at < nbytes; at += n) {
        n = chunk(nbytes - at);
        uint32_t id = ask(op, node, (char *)dest + at, n);
        cw_am_request_short((int)node, head_of(GET, 4),
                            (uint32_t[]){WORD2((uintptr_t)src + at), (uint32_t)n, id}, 0);
    }
}

void gas_far_memset(gasnet_node_t node, void *dest, int value, size_t nbytes, gas_op_t *op)
{
    uint32_t id = ask(op, node, NULL, 0);
    const uint32_t args[] = {WORD2((uintptr_t)dest), WORD2(nbytes), (uint8_t)value, id};
    cw_am_request_short((int)node, head_of(SET, 6), args, 0);
}
