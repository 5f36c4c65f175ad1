// SPDX-License-Identifier: BSD-3-Clause
//
// SYNC ALL, SYNC IMAGES, SYNC MEMORY. Two images that synchronise with each other count: each adds
// one to a word of its own in the other's memory, and waits until the word that the other one
// writes here is as high. A word has one writer, and grows, but where a notification is taken back
// from an image that does not come (retract).
#include <stdlib.h>

#include "base/error.h"
#include "caf/gone.h"
#include "caf/transfer.h"
#include "core/sync/peer.h"

static uint64_t *done;    // [npes] how often this image has synchronised with each; NULL: never
static uint64_t *counts;  // [npes] of the others in this image, where there is `done`
static uint64_t *mine;    // of this image in the others: its symmetric address

/** Programs wait for a value in loops around this statement, so it makes progress for them, and
 *  gives the core away. One of several does: most programs do not wait, and loops go round fast. */
void caf_sync_own_memory(void)
{
    enum { IN_A_LOOP = 16 };
    static unsigned calls;
    caf_complete();
    if (CW_UNLIKELY(++calls % IN_A_LOOP == 0))
        cw_wait_tested();
}

void caf_sync_memory(const caf_status_t *status)
{
    caf_sync_own_memory();
    caf_succeed(status);
}

static CW_ALWAYS_INLINE void sync_completed(void)
{
    caf_fence_by_amo();
    caf.team->gates++;
    cw_sync(caf.group);
}

static CW_NOINLINE void complete_and_sync(void)
{
    caf_complete_cold();
    sync_completed();
}

/** With puts under way in a function of its own, so that the rest keeps nothing. */
void caf_sync_team_plainly(void)
{
    if (CW_UNLIKELY(cw_ctx_is_marked(&cw_hot)))
        complete_and_sync();
    else
        sync_completed();
}

void caf_sync_all(const caf_status_t *status)
{
    caf_complete();
    if (caf_meet(status, "sync all", CAF_SYNC_TEAM, CAF_GATE_STATEMENT, caf.team))
        caf_succeed(status);
}

static void open_counts(void)
{
    if (!(done = calloc((size_t)cw_world.npes, sizeof *done)))
        cwu_fatal("out of memory for the counts of %d images", cw_world.npes);
    counts = caf_own(CAF_OWN_SYNC);
    mine = &counts[cw_world.pe];
}

/** By what a quiet completes. */
static void tell(int pe, uint64_t number)
{
    cw_amo_signalling(&cw_ctx_default, mine, CW_AMO_SET, sizeof number, number, pe);
}

static CW_NOINLINE void notify_out(int pe, uint64_t number)
{
    if (cw_coll_is_local(pe))  // its place is not known yet, or puts are watched
        cw_put_scalar(&cw_ctx_default, mine, number, sizeof number, pe);
    else if (caf_survives)  // complete before this image enters a gate (has_passed)
        tell(pe, number);
    else
        cw_coll_raise_word(pe, (long *)mine, (long)number);  // at once, and no quiet is due
}

/** The count that this image waits for. */
static void notify(int pe)
{
    const uint64_t number = ++done[pe];
    uintptr_t word;
    if (CW_LIKELY(cw_peer_is_here(&cw_ctx_default, pe, &word))) {
        cw_store_bits(cw_local_address(word, mine), number, sizeof number);
        cw_ctx_stored(&cw_ctx_default, pe);
    } else {
        notify_out(pe, number);
    }
}

static CW_ALWAYS_INLINE bool has_counted(const uint64_t *theirs, uint64_t number)
{
    return __atomic_load_n(theirs, __ATOMIC_ACQUIRE) >= number;
}

static CW_ALWAYS_INLINE bool has_come(int pe)
{
    return has_counted(&counts[pe], done[pe]);
}

/** The image does not come to this statement: its notification, of which it knows nothing yet,
 *  is taken back before this image comes to the gate where that one waits. */
static void retract(int pe)
{
    tell(pe, --done[pe]);
    cw_quiet_default();
}

static bool is_one_gone(void)
{
    int rank = 0;
    while (rank < caf.group->size && caf_image_state(cw_group_pe(caf.group, rank)) == CAF_OK)
        rank++;
    return rank < caf.group->size;
}

/** Has it learnt of an image that is gone by another statement, and does not come to this one? */
static bool has_passed(int pe, const cw_wait_t *w)
{
    const bool ahead = caf_survives && w->slept && caf_is_ahead(pe);
    // No scene: the image has to come here and go on between two tests of this one.
    atomic_thread_fence(memory_order_acquire);
    return ahead && !has_come(pe) && is_one_gone();  // what it wrote before is there
}

/** CAF_OK, or how the image has ended that does not come. asks: the statement has stat=. */
static CW_NOINLINE caf_code_t await(int pe, bool asks)
{
    bool gone = false, passed = false;
    cw_wait_t w = CW_WAIT_FOR("sync images", &counts[pe], sizeof *counts);
    const cw_wait_on_t on = {
        .kind = CW_WAIT_PARTNER, .nbytes = sizeof *counts, .addr = &counts[pe], .behind = pe};
    w.on = &on;
    while (!has_come(pe) && !gone && !passed) {
        cw_wait_round(&w);
        // it may have come before it ended: what it wrote before is there
        gone = caf_is_gone(pe, &w, asks) && !has_come(pe);
        passed = !gone && has_passed(pe, &w);
    }
    cw_wait_done(&w);
    if (passed)
        retract(pe);
    return gone ? caf_image_state(pe) : passed ? CAF_FAILED : CAF_OK;
}

static CW_COLD void report(const caf_status_t *status, caf_code_t code)
{
    char killed[200];
    caf_fail(status, code, "sync images", "an image of the set has %s%s",
             code == CAF_FAILED ? "failed" : "stopped",
             caf_describe_killed(caf.group, killed, sizeof killed));
}

/** STOPPED goes before FAILED. */
static caf_code_t graver(caf_code_t a, caf_code_t b)
{
    if (a == CAF_STOPPED || b == CAF_OK)
        return a;
    return b;
}

static bool is_twice(const int *images, int i)
{
    for (int k = 0; k < i; k++)
        if (images[k] == images[i])
            return true;
    return false;
}

static bool check(const caf_status_t *status, const int *images, int n)
{
    int pe;
    for (int i = 0; i < n; i++) {
        if (CW_UNLIKELY(!caf_find_pe(caf.group, images[i], &pe)))
            return caf_want_pe(status, "sync images", caf.group, images[i], &pe);
        if (i > 0 && is_twice(images, i)) {
            caf_fail(status, CAF_TWICE, "sync images", "image %d is in the set twice", images[i]);
            return false;
        }
    }
    return true;
}

/** images: NULL, for all. */
static CW_ALWAYS_INLINE int pe_of(const int *images, int i)
{
    return cw_group_pe(caf.group, images ? images[i] - 1 : i);
}

static void synchronise(const caf_status_t *status, const int *images, int n)
{
    caf_code_t code = CAF_OK;
    caf_complete_before();
    if (CW_UNLIKELY(!done))
        open_counts();
    for (int i = 0; i < n; i++)
        if (pe_of(images, i) != cw_world.pe)
            notify(pe_of(images, i));
    for (int i = 0; i < n; i++)
        if (pe_of(images, i) != cw_world.pe && !has_come(pe_of(images, i)))
            code = graver(code, await(pe_of(images, i), status->stat != NULL));
    if (CW_LIKELY(code == CAF_OK))
        caf_succeed(status);
    else
        report(status, code);
}

void caf_sync_images(const caf_status_t *status, const int *images, int n)
{
    if (check(status, images, n))
        synchronise(status, images, n);
}

// Of a statement without stat=, with images that are all there. What is done seldom is a function
// of its own, the last one called, so that the rest keeps nothing.
static void await_here(int pe)
{
    if (!has_come(pe))
        await(pe, false);
}

static CW_NOINLINE CW_COLD void wake_and_await(int pe)
{
    cw_wake(pe);
    await_here(pe);
}

static CW_NOINLINE void notify_out_and_await(int pe, uint64_t number)
{
    notify_out(pe, number);
    await_here(pe);
}

/** Of a team, or of no image at all; with puts under way; and for the first time. */
static CW_NOINLINE void sync_any_image(int image)
{
    static const caf_status_t none;
    int pe;
    if (CW_UNLIKELY(!done || !caf_find_pe(caf.group, image, &pe))) {
        caf_sync_images(&none, &image, 1);
        return;
    }
    caf_complete_before();
    notify(pe);
    await_here(pe);
}

/** The form of most programs: some forty instructions. An image that is its own partner counts for
 *  itself. */
void caf_sync_image(int image)
{
    const int pe = image - 1;
    uintptr_t word;
    if (CW_UNLIKELY((unsigned)pe >= caf.images || !done || cw_ctx_is_marked(&cw_hot))) {
        sync_any_image(image);
        return;
    }
    atomic_thread_fence(memory_order_release);
    const uint64_t number = ++done[pe];
    if (!cw_peer_is_here(&cw_ctx_default, pe, &word)) {
        notify_out_and_await(pe, number);
        return;
    }
    cw_store_bits(cw_local_address(word, mine), number, sizeof number);
    if (CW_UNLIKELY(cw_ctx_has_sleepers(&cw_ctx_default)))
        wake_and_await(pe);
    else if (!has_counted(&counts[pe], number))
        await(pe, false);
}

void caf_sync_every_image(const caf_status_t *status)
{
    synchronise(status, NULL, caf.group->size);
}

void caf_sync_close(void)
{
    free(done);
    done = NULL;
}
