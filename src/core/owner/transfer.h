// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets in owner's addresses (core/owner/owner.h): a copy where the memory is mapped, one
// call of the transport for a PE reached before, else the general path. The first two are inlined
// into front ends' calls, whose order of parameters they keep, so that registers stay.
// Threads: any. Blocking: the general path, and transfers whose mode says so.
#ifndef CW_OWNER_TRANSFER_H
#define CW_OWNER_TRANSFER_H

#include "base/compiler.h"
#include "core/observe/seen.h"
#include "core/owner/handle.h"
#include "core/owner/owner.h"
#include "core/rma/rma.h"

typedef enum cw_owner_mode {
    CW_OWNER_BLOCKING,  // complete when it returns
    CW_OWNER_COPIED,    // the source may change when it returns
    CW_OWNER_BULK,      // the source stays in use until completion
    // as above, for puts that an implicit wait completes: small ones are injected
    CW_OWNER_NBI_COPIED,
    CW_OWNER_NBI_BULK
} cw_owner_mode_t;

static CW_ALWAYS_INLINE bool cw_owner_is_bulk(cw_owner_mode_t mode)
{
    return mode == CW_OWNER_BULK || mode == CW_OWNER_NBI_BULK;
}

// ---------------------------------------------------------------- the general path (transfer.c)
// op: counts messages where the owner copies; NULL for a blocking transfer, and where there are
// none. True: something is in flight. Arguments are checked; call names it in waits.
bool cw_owner_put_general(cw_owner_t *owner, const char *call, uint32_t pe, void *dest,
                          const void *src, size_t nbytes, cw_owner_mode_t mode, cw_handle_op_t *op);
bool cw_owner_get_general(cw_owner_t *owner, const char *call, void *dest, uint32_t pe,
                          const void *src, size_t nbytes, cw_owner_mode_t mode, cw_handle_op_t *op);
bool cw_owner_set_general(cw_owner_t *owner, uint32_t pe, void *dest, int value, size_t nbytes,
                          cw_handle_op_t *op);

/** Kept for a second try. */
typedef struct cw_owner_small {
    uint64_t bits;
    void *dest;
} cw_owner_small_t;
/** rc: the provider's refusal; 0: too many were injected, so wait for them. */
void cw_owner_put8_again(uintptr_t word, ssize_t rc, const cw_owner_small_t *small) CW_COLD;

// ---------------------------------------------------------------- words
/** The PE's word. False: take the general path. */
static CW_ALWAYS_INLINE bool cw_owner_is_fast(const cw_owner_t *owner, uint32_t pe,
                                              uintptr_t *word_p)
{
    if (CW_UNLIKELY(pe >= owner->limit))
        return false;
    *word_p = __atomic_load_n(&owner->word[pe], CW_DEPENDED_ON);
    return true;
}

static CW_ALWAYS_INLINE bool cw_owner_is_mapped(uintptr_t word)
{
    return !(word & 1);
}

/** Mapped, and stores need no test for sleepers. */
static CW_ALWAYS_INLINE bool cw_owner_is_plain(uintptr_t word)
{
    return !(word & 3);
}

/** The address here of mapped memory. */
static CW_ALWAYS_INLINE void *cw_owner_local(uintptr_t word, const void *addr)
{
    return cw_local_address(word & ~(uintptr_t)3, addr);
}

/** The record of a PE reached before, or NULL. */
static CW_ALWAYS_INLINE cwt_target_t *cw_owner_record(uintptr_t word)
{
    cwt_target_t *record = (cwt_target_t *)(word - 1);
    return (word & 1) && CW_LIKELY(record->conn != NULL) ? record : NULL;
}

// ---------------------------------------------------------------- puts
/** To another node (bit 0 of the word is set): up to 8 bytes, or the owner's inject_nbytes. The
 *  source is free on return. */
static CW_ALWAYS_INLINE void cw_owner_inject(uintptr_t word, void *dest, const void *src,
                                             size_t nbytes)
{
    ssize_t rc = cw_inject(word, dest, src, nbytes);
    cw_ctx_mark_word(&cw_hot, word);
    if (CW_UNLIKELY(rc != 0))
        cw_target_put(cw_word_target(word), dest, src, nbytes, false);
    else if (CW_UNLIKELY(cw_count_down(&cw_hot.room)))
        cw_owner_target_drain(word);
}

static CW_ALWAYS_INLINE void cw_owner_put8_far(uintptr_t word, void *dest, const void *src)
{
    cw_owner_small_t small = {.dest = dest};
    memcpy(&small.bits, src, 8);
    ssize_t rc = cw_inject(word, dest, &small.bits, 8);
    cw_ctx_mark_word(&cw_hot, word);
    if (CW_UNLIKELY(rc != 0) || CW_UNLIKELY(cw_count_down(&cw_hot.room)))
        cw_owner_put8_again(word, rc, &small);
}

/** Eight bytes within the node. False: not done; *word_p is the word if there is one. */
static CW_ALWAYS_INLINE bool cw_owner_put8_near(const cw_owner_t *owner, uint32_t pe, void *dest,
                                                const void *src, uintptr_t *word_p)
{
    if (!cw_owner_is_fast(owner, pe, word_p) || CW_UNLIKELY(*word_p & 3))
        return false;
    cw_store_bits(cw_local_address(*word_p, dest), *(const uint64_t *)src, 8);
    return true;
}

/** False: call cw_owner_put_general. *in_flight_p: is there something to wait for? */
static CW_ALWAYS_INLINE bool cw_owner_put_fast(const cw_owner_t *owner, uint32_t pe, void *dest,
                                               const void *src, size_t nbytes, bool bulk,
                                               bool *in_flight_p)
{
    uintptr_t word;
    cwt_target_t *record;
    *in_flight_p = false;
    if (!cw_owner_is_fast(owner, pe, &word))
        return false;
    if (cw_owner_is_plain(word)) {
        cw_copy(cw_local_address(word, dest), src, nbytes);
        return true;
    }
    if (!(record = cw_owner_record(word)) || nbytes == 0)
        return false;
    cw_target_put(record, dest, src, nbytes, bulk);
    *in_flight_p = true;
    return true;
}

/** As above, complete when it returns. */
static CW_ALWAYS_INLINE bool cw_owner_put_fast_complete(const cw_owner_t *owner, uint32_t pe,
                                                        void *dest, const void *src, size_t nbytes)
{
    uintptr_t word = 0;
    cwt_target_t *record;
    bool fast = cw_owner_is_fast(owner, pe, &word);
    if (fast && cw_owner_is_plain(word))
        cw_copy(cw_local_address(word, dest), src, nbytes);
    else if (fast && (record = cw_owner_record(word)) && CW_LIKELY(nbytes != 0))
        cw_target_put_complete(record, dest, src, nbytes);
    else
        return false;
    return true;
}

/** Stores the low nbytes of value if one store does it. False: not done. */
static CW_ALWAYS_INLINE bool cw_owner_store_value(void *dest, uint64_t value, size_t nbytes)
{
    if (nbytes == 4)
        cw_store_bits(dest, value, 4);
    else if (nbytes == 8)
        cw_store_bits(dest, value, 8);
    else if (nbytes == 1)
        cw_store_bits(dest, value, 1);
    else if (nbytes == 2)
        cw_store_bits(dest, value, 2);
    else
        return false;
    return true;
}

// ---------------------------------------------------------------- in checking mode
/** For the general path: true: done, by a pair that this thread remembers for the client. */
bool cw_owner_put_seen(uint32_t pe, void *dest, const void *src, size_t nbytes, int client);
bool cw_owner_get_seen(void *dest, uint32_t pe, const void *src, size_t nbytes, int client);
/** In its frame, after a transfer without a pair was found right: so is each between `there` and
 *  its buffer here. changes: cw_block_changes from before the look-up of `there`. */
void cw_owner_saw(const cw_owner_t *owner, int client, uint32_t pe, unsigned changes,
                  cw_known_span_t there, const void *here, size_t nbytes) CW_COLD;

// ---------------------------------------------------------------- gets
/** As cw_owner_put_fast. nbi: completes at a quiet. */
static CW_ALWAYS_INLINE bool cw_owner_get_fast(const cw_owner_t *owner, void *dest, uint32_t pe,
                                               const void *src, size_t nbytes, bool nbi,
                                               bool *in_flight_p)
{
    uintptr_t word;
    cwt_target_t *record;
    *in_flight_p = false;
    if (!cw_owner_is_fast(owner, pe, &word))
        return false;
    if (cw_owner_is_mapped(word)) {
        cw_copy(dest, cw_owner_local(word, src), nbytes);
        cw_get_done();
        return true;
    }
    if (!(record = cw_owner_record(word)) || nbytes == 0)
        return false;
    if (nbi)
        cw_target_get_nbi(dest, record, src, nbytes);
    else
        cw_target_get(dest, record, src, nbytes);
    *in_flight_p = nbi;
    return true;
}

#endif
