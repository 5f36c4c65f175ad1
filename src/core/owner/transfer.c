// SPDX-License-Identifier: BSD-3-Clause
//
// Puts, gets and fills behind the fast paths: first contacts, other nodes, stores that wake
// sleepers, memory that only its owner can copy.
#include "core/owner/transfer.h"

#include "core/observe/watch.h"
#include "core/owner/copy.h"
#include "core/port/check.h"
#include "core/port/port.h"

/** Must the owner copy? */
static bool is_outside(const cw_owner_t *o, uint32_t pe, const void *addr, size_t nbytes)
{
    return o->config.outside && !cw_owner_reaches(o, pe, addr, nbytes);
}

void cw_owner_put8_again(uintptr_t word, ssize_t rc, const cw_owner_small_t *small)
{
    if (rc)
        cw_put_scalar_retry(small->dest, small->bits, 8, word, &cw_ctx_default);
    else
        cw_owner_target_drain(word);
}

/** Counts a put that the provider takes without the transport. */
static void inject_counted(uintptr_t word, void *dest, const void *src, size_t nbytes)
{
    ssize_t rc = cw_inject(word, dest, src, nbytes);
    cw_ctx_mark_word(&cw_hot, word);
    if (rc) {
        cw_target_put(cw_word_target(word), dest, src, nbytes, false);
        return;
    }
    cw_port_count_put();
    if (cw_count_down(&cw_hot.room))
        cw_owner_target_drain(word);
}

/** As the fast paths do it: an observer, which keeps transfers from those, must not change what it
 *  observes. */
static void put_reached(const cw_owner_t *o, uintptr_t word, uint32_t pe, void *dest,
                        const void *src, size_t nbytes, cw_owner_mode_t mode)
{
    cw_op_t op = cw_owner_is_bulk(mode) ? CW_OP_PUT_NBI : CW_OP_PUT;
    CW_WATCH(
        cw_ctx_watch(&cw_ctx_default, op, cw_owner_symmetric(o, pe, dest), src, nbytes, (int)pe));
    if (mode == CW_OWNER_BLOCKING)
        cw_target_put_complete(cw_word_target(word), dest, src, nbytes);
    else if (mode >= CW_OWNER_NBI_COPIED && nbytes <= o->inject_nbytes)
        inject_counted(word, dest, src, nbytes);
    else
        cw_target_put(cw_word_target(word), dest, src, nbytes, cw_owner_is_bulk(mode));
}

bool cw_owner_put_general(cw_owner_t *o, const char *call, uint32_t pe, void *dest, const void *src,
                          size_t nbytes, cw_owner_mode_t mode, cw_handle_op_t *op)
{
    if (nbytes == 0)
        return false;
    uintptr_t word = cw_owner_find_word(o, pe);
    if (cw_owner_is_mapped(word)) {
        cw_copy(cw_owner_local(word, dest), src, nbytes);
        if (!cw_owner_is_plain(word))
            cw_local_stored((int)pe);
        return false;
    }
    if (is_outside(o, pe, dest, nbytes)) {
        cw_handle_op_t own = {0}, *use = op ? op : &own;
        cw_owner_copy_put(pe, dest, src, nbytes, use);
        if (mode == CW_OWNER_BLOCKING)
            cw_handle_op_wait(call, use);
        return mode != CW_OWNER_BLOCKING;
    }
    if (cw_owner_record(word)) {
        put_reached(o, word, pe, dest, src, nbytes, mode);
        return mode != CW_OWNER_BLOCKING;
    }
    char *symmetric = cw_owner_symmetric(o, pe, dest);
    if (cw_owner_is_bulk(mode))
        cw_put_nbi(&cw_ctx_default, symmetric, src, nbytes, (int)pe);
    else
        cw_put(&cw_ctx_default, symmetric, src, nbytes, (int)pe);
    cw_owner_reach(o, pe);
    if (mode == CW_OWNER_BLOCKING)
        cw_handle_quiet();
    return mode != CW_OWNER_BLOCKING;
}

bool cw_owner_get_general(cw_owner_t *o, const char *call, void *dest, uint32_t pe, const void *src,
                          size_t nbytes, cw_owner_mode_t mode, cw_handle_op_t *op)
{
    if (nbytes == 0)
        return false;
    uintptr_t word = cw_owner_find_word(o, pe);
    if (cw_owner_is_mapped(word)) {
        cw_copy(dest, cw_owner_local(word, src), nbytes);
        cw_get_done();
        return false;
    }
    if (is_outside(o, pe, src, nbytes)) {
        cw_handle_op_t own = {0}, *use = op ? op : &own;
        cw_owner_copy_get(dest, pe, src, nbytes, use);
        if (mode == CW_OWNER_BLOCKING)
            cw_handle_op_wait(call, use);
        return mode != CW_OWNER_BLOCKING;
    }
    const char *symmetric = cw_owner_symmetric(o, pe, src);
    if (mode == CW_OWNER_BLOCKING)
        cw_get(&cw_ctx_default, dest, symmetric, nbytes, (int)pe);
    else
        cw_get_nbi(&cw_ctx_default, dest, symmetric, nbytes, (int)pe);
    cw_owner_reach(o, pe);
    return mode != CW_OWNER_BLOCKING;
}

bool cw_owner_set_general(cw_owner_t *o, uint32_t pe, void *dest, int value, size_t nbytes,
                          cw_handle_op_t *op)
{
    if (nbytes == 0)
        return false;
    if (nbytes > PTRDIFF_MAX)
        cw_count_refused(nbytes);
    uintptr_t word = cw_owner_find_word(o, pe);
    if (cw_owner_is_mapped(word)) {
        memset(cw_owner_local(word, dest), value, nbytes);
        if (!cw_owner_is_plain(word))
            cw_local_stored((int)pe);
        return false;
    }
    if (is_outside(o, pe, dest, nbytes)) {
        cw_owner_copy_set(pe, dest, value, nbytes, op);
        return true;
    }
    cw_fill(&cw_ctx_default, cw_owner_symmetric(o, pe, dest), (uint8_t)value, nbytes, (int)pe);
    return true;
}

// ---------------------------------------------------------------- in checking mode
bool cw_owner_put_seen(uint32_t pe, void *dest, const void *src, size_t nbytes, int client)
{
    const cw_pair_t *pair = cw_pair_find(client, pe, (uintptr_t)dest, src, nbytes, false);
    if (!pair)
        return false;
    const bool wakes = !cw_owner_is_plain(pair->word);
    cw_copy(cw_owner_local(pair->word, dest), src, nbytes);
    if (CW_UNLIKELY(wakes))
        cw_local_stored((int)pe);
    return true;
}

bool cw_owner_get_seen(void *dest, uint32_t pe, const void *src, size_t nbytes, int client)
{
    const cw_pair_t *pair = cw_pair_find(client, pe, (uintptr_t)src, dest, nbytes, false);
    if (!pair)
        return false;
    cw_copy(dest, cw_owner_local(pair->word, src), nbytes);
    cw_get_done();
    return true;
}

void cw_owner_saw(const cw_owner_t *o, int client, uint32_t pe, unsigned changes,
                  cw_known_span_t there, const void *here, size_t nbytes)
{
    const uintptr_t word = cw_owner_find_word(o, pe),
                    floor = cw_owner_origin(o, pe) + o->shared_offset;
    const cw_known_span_t *span = cw_known_seen(CW_KNOWN_LOCAL, cw_world.pe, here, nbytes);
    cw_known_clip(&there, floor, floor + o->shared_nbytes);
    // this process's own sides may overlap
    if (span && pe != (uint32_t)cw_world.pe && cw_owner_is_mapped(word) && there.begin < there.end)
        cw_pair_remember(client, pe, word, changes, &there, span);
}
