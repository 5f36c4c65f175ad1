// SPDX-License-Identifier: BSD-3-Clause
//
// Wrong use: the call, the node, the argument, and what to do. Life cycle and node are checked on
// every path that is not counted in instructions; the rest in checking mode (CAUSEWAY_CHECK=1).
#include "gasnet_job/gas.h"

#include <stdio.h>

#include "base/symbol.h"

void gas_check_life(const char *call)
{
    if (!gas.threads)
        gas_fail(call, "called before gasnet_init; call gasnet_init and gasnet_attach first");
    if (!gas.attached)
        gas_fail(call, "called before gasnet_attach; call it after gasnet_init");
    if (!gas.check)
        return;
    const gas_thread_t *me = gas_thread();
    if (cw_am_running())
        gas_fail(call, "called inside a handler of an active message, which may only reply, lock "
                       "and ask for its node; set a flag and call it later");
    if (me->locks)
        gas_fail(call, "called while this thread holds the HSL at %s; unlock it first",
                 cw_at(me->locks, 1));
    if (me->prepared)
        gas_fail(call, "called while this thread has prepared a message already "
                       "(gex_AM_Prepare...); commit or cancel that first");
    if (me->no_interrupts)
        gas_fail(call, "called in a no-interrupt section; call gasnet_resume_interrupts first");
}

void gas_saw(gasnet_node_t node, const void *remote, const void *local, size_t nbytes)
{
    const unsigned changes = atomic_load(&cw_block_changes);
    if (gas.segments == GAS_EVERYTHING || gas.endpoints)
        return;
    const gas_segment_t *s = gas_segment(node);
    const cw_known_span_t there = {.begin = s->addr, .end = s->addr + s->size};
    const uintptr_t at = (uintptr_t)remote - s->addr;
    if (at < s->size && nbytes <= s->size - at)
        cw_owner_saw(&gas_owner, GAS_PAIRS, node, changes, there, local, nbytes);
}

cw_frame_t *gas_watch(const char *call)
{
    return gas.attached ? cw_watch_call(call) : NULL;
}

void gas_check_node(const char *call, gasnet_node_t node)
{
    if (CW_UNLIKELY(node >= gas.nodes))
        gas_fail(call, "there is no node %u; nodes are 0 to %u", node, gas.nodes - 1);
}

/** How far outside; nothing of what lies elsewhere. */
static void describe_distance(uintptr_t base, size_t size, uintptr_t addr, size_t nbytes,
                              char *text, size_t text_nbytes)
{
    const size_t near = (size_t)1 << 30;
    text[0] = '\0';
    if (addr < base && base - addr <= near)
        snprintf(text, text_nbytes, ": it begins %zu bytes before the segment",
                 (size_t)(base - addr));
    else if (addr >= base && addr - base < size)
        snprintf(text, text_nbytes, ": it ends %zu bytes beyond the segment",
                 (size_t)(addr - base + nbytes - size));
    else if (addr >= base && addr - base - size <= near)
        snprintf(text, text_nbytes, ": it begins %zu bytes beyond the segment",
                 (size_t)(addr - base - size));
}

noreturn void gas_refuse_outside(const char *call, const char *what, const char *whose,
                                 uintptr_t base, size_t size, const void *addr, size_t nbytes)
{
    char distance[80], place[160], origin[240] = "";
    cw_known_t own;
    if (size == 0)
        gas_fail(call, "%s %s, %zu bytes, is not in the segment of %s, which has none: attach one",
                 what, cw_at_of(-1, addr, nbytes), nbytes, whose);
    describe_distance(base, size, (uintptr_t)addr, nbytes, distance, sizeof distance);
    if (gas.check && cw_known_find(gas.me, gas.segment[gas.me].addr, &own)) {
        cwu_symbol_describe(own.place, place, sizeof place);
        snprintf(origin, sizeof origin, "; %s gives segments at %s", own.call, place);
    }
    gas_fail(call, "%s %s, %zu bytes, is not in the segment of %s, which is %p-%p (%zu bytes)%s%s",
             what, cw_at_of(-1, addr, nbytes), nbytes, whose, (void *)base, (void *)(base + size),
             size, distance, origin);
}

void gas_check_remote(const char *call, const char *what, gasnet_node_t node, const void *addr,
                      size_t nbytes)
{
    if (gas.segments == GAS_EVERYTHING || nbytes == 0)
        return;
    char whose[32];
    const gas_segment_t *s = gas_segment(node);
    uintptr_t at = (uintptr_t)addr - s->addr;
    if (at < s->size && nbytes <= s->size - at)
        return;
    if ((gas.mixed || gas.endpoints) && gas_reaches(node, addr, nbytes))
        return;  // memory of OpenSHMEM; segments that GASNet-EX itself checks
    if (gas.endpoints && node == gas.me)
        return;
    if (s->size == 0)
        gas_fail(call,
                 "%s %s, %zu bytes, is not in the segment of node %u, which has none (segsize 0 at "
                 "gasnet_attach)",
                 what, cw_at_of((int)node, addr, nbytes), nbytes, node);
    snprintf(whose, sizeof whose, "node %u", node);
    gas_refuse_outside(call, what, whose, s->addr, s->size, addr, nbytes);
}

/** Life, node, count and the address there. False: not in checking mode, so only the first two. */
static bool check_there(const char *call, gasnet_node_t node, const void *remote, size_t nbytes)
{
    if (CW_UNLIKELY(!gas.attached || gas.check))
        gas_check_life(call);
    gas_check_node(call, node);
    if (CW_LIKELY(!gas.check))
        return false;
    if (nbytes > (size_t)PTRDIFF_MAX)
        gas_fail(call, "nbytes is %zu, a negative count?", nbytes);
    gas_check_remote(call, "the remote address", node, remote, nbytes);
    return true;
}

void gas_check_transfer(const char *call, gasnet_node_t node, const void *remote, const void *local,
                        size_t nbytes)
{
    if (CW_LIKELY(!check_there(call, node, remote, nbytes)))
        return;
    cw_check_buffer(call, "the local address", local, nbytes);
    if (node == gas.me)
        cw_check_apart(call, remote, local, nbytes);
}

void gas_check_set(const char *call, gasnet_node_t node, const void *remote, size_t nbytes)
{
    check_there(call, node, remote, nbytes);
}
