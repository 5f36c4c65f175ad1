// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-1: the split-phase barrier: its identifiers and flags, over core's (core/sync/split.h).
//
// A value stands for one process or combines several:  0..31 id | 32 named | 33 mismatch
//
// With GASNET_BARRIERFLAG_IMAGES each image of the process, a thread (gasnet_coll_init), makes both
// calls: the last one to come notifies for all of them, and each waits by itself.
#include "base/lock.h"
#include "base/symbol.h"
#include "core/observe/check.h"
#include "core/sync/rendezvous.h"
#include "core/sync/split.h"
#include "gasnet/gas1.h"

#define NAMED (UINT64_C(1) << 32)
#define MISMATCH (UINT64_C(1) << 33)

static struct {
    cw_split_t split;
    bool notified, ended;  // ended: a barrier did, and the next one was not notified
} me;

/** Of the images: those that have come to the phase that is next, what they said together, and
 *  those that have yet to wait for the phase that has begun. */
static struct {
    cwu_lock_t lock;
    uint32_t came, left;  // under lock
    uint64_t value;       // the same
    _Atomic uint64_t begun;  // phases; pairs with the load in has_begun
} images;
static _Thread_local uint64_t my_phase;  // that this image has come to; 0: it waits for none

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

/** What this node has said in the last two phases, one of which another node may still look at. In
 *  checking mode. NULL: no room. */
static uint64_t *said;

void gas1_barrier_open(void)
{
    cw_split_init(&me.split, combined);
    said = gas_own(GAS_OWN_BARRIER, 2 * sizeof *said);
}

/** UNNAMED is a hint beside ANONYMOUS. */
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

static bool is_of_images(int flags)
{
    return CW_UNLIKELY(flags & GASNET_BARRIERFLAG_IMAGES) && gas.images > 1;
}

static void refuse_twice(const char *call)
{
    gas_fail(call, "called twice without gasnet_barrier_wait or a successful gasnet_barrier_try in "
                   "between");
}

static void notify_all(const char *call, uint64_t value)
{
    if (me.notified)
        refuse_twice(call);
    me.notified = true;
    me.ended = false;
    cw_split_notify(&me.split, value);
}

/** One image. All have waited for the phase before when the last of them comes. */
static void notify_image(const char *call, uint64_t value)
{
    if (my_phase)
        refuse_twice(call);
    cwu_lock(&images.lock);
    uint64_t begun = atomic_load_explicit(&images.begun, memory_order_relaxed);
    my_phase = begun + 1;
    images.value = images.came ? combined(images.value, value) : value;
    bool last = ++images.came == gas.images;
    if (last) {
        images.left = images.came;
        images.came = 0;
        notify_all(call, images.value);
        atomic_store_explicit(&images.begun, begun + 1, memory_order_release);
    }
    cwu_unlock(&images.lock);
    if (last)
        cw_local_notify((int)gas.me);  // images that wait already
}

static cw_frame_t *watch_notify(const char *call, int id, int flags)
{
    if (gas.check && said)
        __atomic_store_n(&said[(me.split.phase + 1) % 2], value_of(id, flags), __ATOMIC_RELAXED);
    return gas_watch(call);
}

static void notify(const char *call, int id, int flags)
{
    gas_enter(call);
    CW_WATCH(watch_notify(call, id, flags));
    check_flags(call, flags);
    if (is_of_images(flags))
        notify_image(call, value_of(id, flags));
    else
        notify_all(call, value_of(id, flags));
    cw_am_poll();
}

GAS_API void gasnet_barrier_notify(int id, int flags)
{
    notify(__func__, id, flags);
}

/** In checking mode: names two nodes that differ, on the first of them, or this call. Nothing where
 *  the program wants the mismatch. */
static CW_COLD void warn_of_mismatch(const char *call, int id, int flags)
{
    uint64_t first = 0;
    gasnet_node_t whose = 0;
    if (!said || flags & GASNET_BARRIERFLAG_MISMATCH || !cw_check_is_news(cwu_symbol_outside()))
        return;
    for (gasnet_node_t node = 0; node < gas.nodes; node++) {
        uint64_t theirs = cw_rendezvous_ask(&said[me.split.phase % 2], CW_AMO_FETCH, 0, (int)node);
        if (theirs & MISMATCH)
            return;
        if (!(theirs & NAMED) || theirs == first)
            continue;
        if (first) {
            if (whose == gas.me)
                cw_check_warn(call,
                              "the ids differ: %d on node %u, %d on node %u; give the same "
                              "on all nodes, or GASNET_BARRIERFLAG_ANONYMOUS",
                              (int)(uint32_t)first, whose, (int)(uint32_t)theirs, node);
            return;
        }
        first = theirs;
        whose = node;
    }
    cw_check_warn(call, "the id is %d here, and %d in gasnet_barrier_notify; give the same", id,
                  (int)(uint32_t)first);
}

/** A name here is compared with the one that all nodes together gave, if they gave any: whether
 *  this node's notification had one does not matter. */
static int result(const char *call, int id, int flags)
{
    uint64_t value = cw_split_value(&me.split);
    bool differs =
        !(flags & GASNET_BARRIERFLAG_ANONYMOUS) && value & NAMED && (uint32_t)id != (uint32_t)value;
    if (my_phase) {
        my_phase = 0;
        cwu_lock(&images.lock);
        me.notified = --images.left > 0;
        me.ended = !me.notified;
        cwu_unlock(&images.lock);
    } else {
        me.notified = false;
        me.ended = true;
    }
    if (CW_LIKELY(!differs && !(value & MISMATCH)))
        return GASNET_OK;
    if (gas.check)
        warn_of_mismatch(call, id, flags);
    return GASNET_ERR_BARRIER_MISMATCH;
}

static void check_notified(const char *call, int flags)
{
    gas_enter(call);
    check_flags(call, flags);
    if (is_of_images(flags) ? !my_phase : !me.notified)
        gas_fail(call, "called without gasnet_barrier_notify before it");
}

/** Have the other images come? The next phase does not begin before this one has waited. */
static bool has_begun(void)
{
    return !my_phase || atomic_load_explicit(&images.begun, memory_order_acquire) == my_phase;
}

static int wait(const char *call, int id, int flags)
{
    check_notified(call, flags);
    CW_WATCH(gas_watch(call));
    cw_wait_t w = CW_WAIT_INIT(call);
    gas_wait_begin(&w);
    while (!has_begun())
        gas_wait_round(&w);
    cw_split_attend(&me.split);
    while (!cw_split_test(&me.split)) {
        w.on = &gas_wait_collective;
        cw_split_watch(&me.split, &w);
        gas_wait_round(&w);
    }
    cw_wait_done(&w);
    return result(call, id, flags);
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
    if (has_begun() && cw_split_test(&me.split))
        return result(__func__, id, flags);
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
