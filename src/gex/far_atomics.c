// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: atomics on memory that neither mapping nor network reaches: all memory outside of the
// slices with GASNET_SEGMENT_EVERYTHING, and clients' memory that is a segment. Its owner executes
// them, in handlers, so they are atomic with those of the owner itself and of all others.
//
// What arrives is not trusted: an owner works on memory that it shares only, and a reply names its
// request by a place in a table, which must be waiting for that process.
// Threads: any; each waits for one reply at a time.
#include "base/lock.h"
#include "gex/gex.h"

enum { REQUESTS = 64 };  // threads that wait at a time; more wait for a place

typedef struct request {
    uint32_t pe;
    bool used;
    _Atomic bool done;  // stored by the reply's handler behind `value`; pairs with the wait's load
    uint64_t value;
} request_t;

static cwu_lock_t lock;  // guards `used` and `pe`
static request_t requests[REQUESTS];

#define WORD2(x) (uint32_t)(uint64_t)(x), (uint32_t)((uint64_t)(x) >> 32)

static uint64_t joined(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

// ---------------------------------------------------------------- handlers
/** op, nbytes: in one word. */
static void on_request(cw_am_msg_t *token, uint32_t addr0, uint32_t addr1, uint32_t what,
                       uint32_t operand0, uint32_t operand1, uint32_t compare0, uint32_t compare1,
                       uint32_t id)
{
    void *addr = (void *)(uintptr_t)joined(addr0, addr1);
    uint32_t op = what & 0xff, nbytes = what >> 8;
    if (op >= CW_AMO_OPS || (nbytes != 4 && nbytes != 8) || (uintptr_t)addr % nbytes ||
        !gas_takes(token, addr, nbytes))
        cwu_fatal("PE %d asked for an atomic of %u bytes at %s, which is not in a segment of this "
                  "PE",
                  token->source, nbytes, cw_at(addr, nbytes));
    uint64_t old = cw_amo_local(addr, (cw_amo_op_t)op, nbytes, joined(operand0, operand1),
                                joined(compare0, compare1));
    const uint32_t args[] = {WORD2(old), id};
    cw_am_reply_short(token, CW_AM_HEAD(GEX_AM_CLIENT, GEX_HANDLER_ATOMIC_DONE, 3), args);
}

static void on_done(cw_am_msg_t *token, uint32_t old0, uint32_t old1, uint32_t id)
{
    cwu_lock(&lock);
    bool waits = id < REQUESTS && requests[id].used && requests[id].pe == (uint32_t)token->source;
    cwu_unlock(&lock);
    if (!waits)
        cwu_fatal("PE %d replied to an atomic that this PE never sent", token->source);
    requests[id].value = joined(old0, old1);
    atomic_store_explicit(&requests[id].done, true, memory_order_release);
}

void gex_far_atomics_open(void)
{
    cw_am_register(GEX_AM_CLIENT, GEX_HANDLER_ATOMIC, (cw_am_handler_t)on_request);
    cw_am_register(GEX_AM_CLIENT, GEX_HANDLER_ATOMIC_DONE, (cw_am_handler_t)on_done);
}

// ---------------------------------------------------------------- requests
static bool find_place(uint32_t pe, uint32_t *id_p)
{
    uint32_t id = 0;
    cwu_lock(&lock);
    while (id < REQUESTS && requests[id].used)
        id++;
    if (id < REQUESTS) {
        requests[id].used = true;
        requests[id].pe = pe;
        atomic_store_explicit(&requests[id].done, false, memory_order_relaxed);
    }
    cwu_unlock(&lock);
    *id_p = id;
    return id < REQUESTS;
}

static uint32_t take_place(const char *call, uint32_t pe)
{
    uint32_t id;
    cw_wait_t w = CW_WAIT_INIT(call);
    while (!find_place(pe, &id))
        gas_wait_round(&w);
    cw_wait_done(&w);
    return id;
}

static void give_place(uint32_t id)
{
    cwu_lock(&lock);
    requests[id].used = false;
    cwu_unlock(&lock);
}

uint64_t gex_far_atomic(const char *call, uint32_t pe, void *addr, cw_amo_op_t op, size_t nbytes,
                        uint64_t operand, uint64_t compare)
{
    if (pe == gas.me)
        return cw_amo_local(addr, op, nbytes, operand, compare);
    uint32_t id = take_place(call, pe);
    const uint32_t args[] = {WORD2((uintptr_t)addr), (uint32_t)op | (uint32_t)nbytes << 8,
                             WORD2(operand), WORD2(compare), id};
    cw_am_request_short((int)pe, CW_AM_HEAD(GEX_AM_CLIENT, GEX_HANDLER_ATOMIC, 8), args, 0);
    cw_wait_t w = CW_WAIT_NOTIFIED(call);
    gas_wait_begin(&w);
    while (!atomic_load_explicit(&requests[id].done, memory_order_acquire))
        gas_wait_round(&w);
    cw_wait_done(&w);
    uint64_t value = requests[id].value;
    give_place(id);
    return value;
}
