// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-1: the split-phase barrier: its identifiers and flags, over core's (core/sync/split.h).
//
// A value stands for one process or combines several:  0..31 id | 32 named | 33 mismatch
#include "core/sync/split.h"
#include "gasnet/gas1.h"

#define NAMED (UINT64_C(1) << 32)
#define MISMATCH (UINT64_C(1) << 33)

static struct {
    cw_split_t split;
    bool notified, ended;  // ended: a barrier did, and the next one was not notified
} me;

static uint64_t value_of(int id, int flags)
{
    if (flags & GASNET_BARRIERFLAG_MISMATCH)
        return MISMATCH;
    return flags & GASNET_BARRIERFLAG_ANONYMOUS ? 0 : NAMED | (uint32_t)id;
}

static uint64_t combined(uint64_t a, uint64_t b)
{
    if (!(a & NAMED) || !(b & NAMED) || a == b)
        return a | b;
    return MISMATCH;
}

void gas1_barrier_open(void)
{
    cw_split_init(&me.split, combined);
}

/** UNNAMED is a hint beside ANONYMOUS; IMAGES: threads that would each notify, of which there is
 *  one here. */
#define KNOWN_FLAGS                                                                               \
    (GASNET_BARRIERFLAG_ANONYMOUS | GASNET_BARRIERFLAG_MISMATCH | GASNET_BARRIERFLAG_UNNAMED | \
     GASNET_BARRIERFLAG_IMAGES)

static void check_flags(const char *call, int flags)
{
    if (flags & ~KNOWN_FLAGS)
        gas_fail(call,
                 "flags is %d; give 0, GASNET_BARRIERFLAG_ANONYMOUS or "
                 "GASNET_BARRIERFLAG_MISMATCH",
                 flags);
}

static void notify(const char *call, int id, int flags)
{
    gas_enter(call);
    CW_WATCH(gas_watch(call));
    check_flags(call, flags);
    if (me.notified)
        gas_fail(call, "called twice without gasnet_barrier_wait or a successful "
                       "gasnet_barrier_try in between");
    me.notified = true;
    me.ended = false;
    cw_split_notify(&me.split, value_of(id, flags));
    cw_am_poll();
}

GAS_API void gasnet_barrier_notify(int id, int flags)
{
    notify(__func__, id, flags);
}

/** A name here is compared with the one that all nodes together gave, if they gave any: whether
 *  this node's notification had one does not matter. */
static int result(int id, int flags)
{
    uint64_t value = cw_split_value(&me.split);
    bool differs =
        !(flags & GASNET_BARRIERFLAG_ANONYMOUS) && value & NAMED && (uint32_t)id != (uint32_t)value;
    me.notified = false;
    me.ended = true;
    return differs || value & MISMATCH ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK;
}

static void check_notified(const char *call, int flags)
{
    gas_enter(call);
    check_flags(call, flags);
    if (!me.notified)
        gas_fail(call, "called without gasnet_barrier_notify before it");
}

static int wait(const char *call, int id, int flags)
{
    check_notified(call, flags);
    CW_WATCH(gas_watch(call));
    cw_wait_t w = CW_WAIT_INIT(call);
    gas_wait_begin(&w);
    cw_split_attend(&me.split);
    while (!cw_split_test(&me.split)) {
        cw_split_watch(&me.split, &w);
        gas_wait_round(&w);
    }
    cw_wait_done(&w);
    return result(id, flags);
}

GAS_API int gasnet_barrier_wait(int id, int flags)
{
    return wait(__func__, id, flags);
}

GAS_API int gasnet_barrier_try(int id, int flags)
{
    check_notified(__func__, flags);
    CW_WATCH(gas_watch(__func__));
    cw_am_poll();
    if (cw_split_test(&me.split))
        return result(id, flags);
    cw_wait_tested();
    return GASNET_ERR_NOT_READY;
}

GAS_API int gasnet_barrier(int id, int flags)
{
    notify(__func__, id, flags);
    return wait(__func__, id, flags);
}

GAS_API int gasnet_barrier_result(int *id)
{
    gas_enter(__func__);
    if (!me.ended)
        gas_fail(__func__, "no barrier has ended; call it after gasnet_barrier_wait or a "
                           "successful gasnet_barrier_try, before the next gasnet_barrier_notify");
    if (!id)
        gas_fail(__func__, "the place for the name is NULL");
    uint64_t value = cw_split_value(&me.split);
    *id = (int)(uint32_t)value;
    return !(value & NAMED);
}
