// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets behind the fast paths: checks, other sizes, other nodes.
#include <pthread.h>
#include <stdlib.h>

#include "gasnet/gas.h"

/** The record of a node for small puts, once it has been reached. */
static void learn(gasnet_node_t node)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (gas.limit == 0 || gas_word(node) != gas_stranger(node))
        return;
    uintptr_t origin = gas_origin(node);
    pthread_mutex_lock(&lock);
    cwt_target_t *far = aligned_alloc(64, sizeof *far);
    if (far && gas_word(node) == gas_stranger(node)) {
        memset(far, 0, sizeof *far);
        cw_target_of_owner((int)node, origin, far);
        __atomic_store_n(&gas.inject, (uint32_t)cw_inject_most(), __ATOMIC_RELAXED);
        // pairs with gas_word
        __atomic_store_n(&gas.word[node], (uintptr_t)far + 1, __ATOMIC_RELEASE);
        far = NULL;
    }
    free(far);
    pthread_mutex_unlock(&lock);
}

uintptr_t gas_find_word(gasnet_node_t node)
{
    uintptr_t word = gas_word(node);
    if (CW_LIKELY(word != gas_stranger(node)) || gas.segments == GAS_EVERYTHING ||
        cw_world.node_of_pe[node] != cw_world.node)
        return word;
    uintptr_t origin = gas_origin(node),
              slice = (uintptr_t)cw_area_early((void *)cw_area_origin(), (int)node);
    word = (slice - origin) | (gas.mixed ? 2 : 0);
    // threads that do it at a time store the same
    __atomic_store_n(&gas.word[node], word, __ATOMIC_RELEASE);
    return word;
}

ssize_t gas_meet(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr, uint64_t addr,
                 uint64_t key)
{
    (void)fabric_addr, (void)key;
    gasnet_node_t node = (gasnet_node_t)((cwt_target_t *)ep - gas.strangers);
    gas_put("gasnet_put_nbi", node, (void *)(uintptr_t)addr, buf, nbytes, GAS_COPIED, NULL);
    gas_implicit_issued();
    return 0;
}

static void copy_local(gasnet_node_t node, uintptr_t word, void *dest, const void *src,
                       size_t nbytes)
{
    cw_copy(dest, src, nbytes);
    if (word & 2)
        cw_local_stored((int)node);
}

bool gas_put(const char *call, gasnet_node_t node, void *dest, const void *src, size_t nbytes,
             gas_mode_t mode, gas_op_t *op)
{
    CW_WATCH(gas_watch(call));
    gas_check_transfer(call, node, dest, src, nbytes);
    if (nbytes == 0)
        return false;
    uintptr_t word = gas_find_word(node);
    if (!(word & 1)) {
        copy_local(node, word, (void *)((uintptr_t)dest + (word & ~(uintptr_t)3)), src, nbytes);
        return false;
    }
    if (gas.segments == GAS_EVERYTHING && !gas_is_reachable(node, dest, nbytes)) {
        gas_op_t own = {0}, *use = op ? op : &own;
        gas_far_put(node, dest, src, nbytes, use);
        if (mode == GAS_BLOCKING)
            gas_op_wait(call, use);
        return mode != GAS_BLOCKING;
    }
    char *symmetric = gas_symmetric(node, dest);
    if (mode == GAS_BULK)
        cw_put_nbi(&cw_ctx_default, symmetric, src, nbytes, (int)node);
    else
        cw_put(&cw_ctx_default, symmetric, src, nbytes, (int)node);
    learn(node);
    if (mode == GAS_BLOCKING)
        gas_quiet();
    return mode != GAS_BLOCKING;
}

bool gas_get(const char *call, void *dest, gasnet_node_t node, const void *src, size_t nbytes,
             gas_mode_t mode, gas_op_t *op)
{
    CW_WATCH(gas_watch(call));
    gas_check_transfer(call, node, src, dest, nbytes);
    if (nbytes == 0)
        return false;
    uintptr_t word = gas_find_word(node);
    if (!(word & 1)) {
        cw_copy(dest, (const void *)((uintptr_t)src + (word & ~(uintptr_t)3)), nbytes);
        cw_get_done();
        return false;
    }
    if (gas.segments == GAS_EVERYTHING && !gas_is_reachable(node, src, nbytes)) {
        gas_op_t own = {0}, *use = op ? op : &own;
        gas_far_get(dest, node, src, nbytes, use);
        if (mode == GAS_BLOCKING)
            gas_op_wait(call, use);
        return mode != GAS_BLOCKING;
    }
    const char *symmetric = gas_symmetric(node, src);
    if (mode == GAS_BLOCKING)
        cw_get(&cw_ctx_default, dest, symmetric, nbytes, (int)node);
    else
        cw_get_nbi(&cw_ctx_default, dest, symmetric, nbytes, (int)node);
    learn(node);
    return mode != GAS_BLOCKING;
}

bool gas_memset(const char *call, gasnet_node_t node, void *dest, int value, size_t nbytes,
                gas_op_t *op)
{
    CW_WATCH(gas_watch(call));
    gas_check_transfer(call, node, dest, &value, nbytes);
    if (nbytes == 0)
        return false;
    uintptr_t word = gas_find_word(node);
    if (!(word & 1)) {
        memset((char *)dest + (word & ~(uintptr_t)3), value, nbytes);
        if (word & 2)
            cw_local_stored((int)node);
        return false;
    }
    if (gas.segments == GAS_EVERYTHING && !gas_is_reachable(node, dest, nbytes)) {
        gas_far_memset(node, dest, value, nbytes, op);
        return true;
    }
    cw_fill(&cw_ctx_default, gas_symmetric(node, dest), (uint8_t)value, nbytes, (int)node);
    return true;
}
