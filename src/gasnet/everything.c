// SPDX-License-Identifier: BSD-3-Clause
//
// Puts, gets and memset in memory that no other process can map or the network reach (GASNET_SEGMENT_EVERYTHING): the
// owner copies, in handlers, and answers. An operation counts its messages; each answer names it by its address, which
// only the process that gets the answer uses.
#include "gasnet/gas.h"

// Indexes of handlers below 128 are the library's.
enum { PUT = 1, GET, SET, DONE, GOT };

/** 64 bits in two arguments. */
#define WORD2(x) (uint32_t)(uint64_t)(x), (uint32_t)((uint64_t)(x) >> 32)

static uint64_t joined(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

static uint32_t head_of(int handler, int nargs)
{
    return CW_AM_HEAD(CW_AM_GASNET, handler, nargs);
}

static void count(gas_op_t *op)
{
    atomic_fetch_add_explicit(&op->pending, 1, memory_order_relaxed);
}

static void done(uint32_t low, uint32_t high)
{
    gas_op_t *op = (gas_op_t *)(uintptr_t)joined(low, high);
    atomic_fetch_sub_explicit(&op->pending, 1, memory_order_release);  // pairs with the waiter's acquire
}

static size_t chunk(size_t nbytes)
{
    return nbytes < CW_AM_MAX_MEDIUM ? nbytes : CW_AM_MAX_MEDIUM;
}

// ---------------------------------------------------------------- handlers
static void on_put(cw_am_msg_t *token, void *payload, size_t nbytes, uint32_t op0, uint32_t op1)
{
    (void)payload, (void)nbytes;  // there already
    cw_am_reply_short(token, head_of(DONE, 2), (uint32_t[]){op0, op1});
}

static void on_set(cw_am_msg_t *token, uint32_t dest0, uint32_t dest1, uint32_t n0, uint32_t n1, uint32_t value,
                   uint32_t op0, uint32_t op1)
{
    memset((void *)(uintptr_t)joined(dest0, dest1), (int)value, joined(n0, n1));
    cw_am_reply_short(token, head_of(DONE, 2), (uint32_t[]){op0, op1});
}

static void on_get(cw_am_msg_t *token, uint32_t src0, uint32_t src1, uint32_t nbytes, uint32_t dest0, uint32_t dest1,
                   uint32_t op0, uint32_t op1)
{
    cw_am_reply_long(token, head_of(GOT, 2), (uint32_t[]){op0, op1}, (void *)(uintptr_t)joined(src0, src1), nbytes,
                     (void *)(uintptr_t)joined(dest0, dest1), CW_AM_RAW);
}

static void on_done(cw_am_msg_t *token, uint32_t op0, uint32_t op1)
{
    (void)token;
    done(op0, op1);
}

static void on_got(cw_am_msg_t *token, void *payload, size_t nbytes, uint32_t op0, uint32_t op1)
{
    (void)token, (void)payload, (void)nbytes;
    done(op0, op1);
}

void gas_register_everything(void)
{
    cw_am_register(CW_AM_GASNET, PUT, (cw_am_handler_t)on_put);
    cw_am_register(CW_AM_GASNET, GET, (cw_am_handler_t)on_get);
    cw_am_register(CW_AM_GASNET, SET, (cw_am_handler_t)on_set);
    cw_am_register(CW_AM_GASNET, DONE, (cw_am_handler_t)on_done);
    cw_am_register(CW_AM_GASNET, GOT, (cw_am_handler_t)on_got);
}

// ---------------------------------------------------------------- operations
void gas_far_put(gasnet_node_t node, void *dest, const void *src, size_t nbytes, gas_op_t *op)
{
    const uint32_t args[] = {WORD2((uintptr_t)op)};
    for (size_t at = 0, n; at < nbytes; at += n) {
        n = chunk(nbytes - at);
        count(op);
        cw_am_request_long((int)node, head_of(PUT, 2), args, (const char *)src + at, n, (char *)dest + at, CW_AM_RAW);
    }
}

void gas_far_get(void *dest, gasnet_node_t node, const void *src, size_t nbytes, gas_op_t *op)
{
    for (size_t at = 0, n; at < nbytes; at += n) {
        n = chunk(nbytes - at);
        const uint32_t args[] = {WORD2((uintptr_t)src + at), (uint32_t)n, WORD2((uintptr_t)dest + at),
                                 WORD2((uintptr_t)op)};
        count(op);
        cw_am_request_short((int)node, head_of(GET, 7), args, 0);
    }
}

void gas_far_memset(gasnet_node_t node, void *dest, int value, size_t nbytes, gas_op_t *op)
{
    const uint32_t args[] = {WORD2((uintptr_t)dest), WORD2(nbytes), (uint8_t)value, WORD2((uintptr_t)op)};
    count(op);
    cw_am_request_short((int)node, head_of(SET, 7), args, 0);
}
