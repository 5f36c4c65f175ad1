// SPDX-License-Identifier: BSD-3-Clause
//
// SYNC ALL, SYNC IMAGES, SYNC MEMORY. Two images that synchronise with each other count: each adds
// one to a word of its own in the other's memory, and waits until the word that the other one
// writes here is as high. A word has one writer and only grows.
#include <stdlib.h>

#include "base/error.h"
#include "caf/gone.h"
#include "caf/transfer.h"
#include "core/sync/peer.h"

static uint64_t *done;  // [npes] how often this image has synchronised with each; NULL: never

void caf_sync_all(const caf_status_t *status)
{
    caf_complete();
    caf_agree(caf.group, CAF_SYNC_TEAM);
    if (!caf_survives)
        cw_sync(caf.group);
    else if (!caf_enter(status, "sync all"))
        return;
    caf_succeed(status);
}

static void notify(int pe)
{
    if (!done && !(done = calloc((size_t)cw_world.npes, sizeof *done)))
        cwu_fatal("out of memory for the counts of %d images", cw_world.npes);
    done[pe]++;
    if (pe == cw_world.pe)
        return;
    uint64_t *count = (uint64_t *)caf_own(CAF_OWN_SYNC) + cw_world.pe;
    if (cw_coll_is_local(pe))
        cw_put_scalar(&cw_ctx_default, count, done[pe], sizeof done[pe], pe);
    else
        cw_coll_raise_word(pe, (long *)count, (long)done[pe]);  // at once, and no quiet is due
}

/** CAF_OK, or how the image has ended that does not come. */
static caf_code_t await(int pe)
{
    if (pe == cw_world.pe)
        return CAF_OK;
    bool gone = false;
    const uint64_t *count = (const uint64_t *)caf_own(CAF_OWN_SYNC) + pe;
    cw_wait_t w = CW_WAIT_FOR("sync images", count, sizeof *count);
    cw_wait_on_t on;
    while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < done[pe] && !gone) {
        on = (cw_wait_on_t){
            .kind = CW_WAIT_PARTNER, .nbytes = sizeof *count, .addr = count, .behind = pe};
        w.on = &on;
        cw_wait_round(&w);
        // it may have come before it ended: what it wrote before is there
        gone = caf_is_gone(pe, &w) && __atomic_load_n(count, __ATOMIC_ACQUIRE) < done[pe];
    }
    cw_wait_done(&w);
    return gone ? caf_image_state(pe) : CAF_OK;
}

static void finish(const caf_status_t *status, caf_code_t code)
{
    char killed[200];
    if (code == CAF_OK)
        caf_succeed(status);
    else
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
        if (!caf_want_pe(status, "sync images", caf.group, images[i], &pe))
            return false;
        if (is_twice(images, i)) {
            caf_fail(status, CAF_ERROR, "sync images", "image %d is in the set twice", images[i]);
            return false;
        }
    }
    return true;
}

void caf_sync_images(const caf_status_t *status, const int *images, int n)
{
    if (!check(status, images, n))
        return;
    caf_complete();
    for (int i = 0; i < n; i++)
        notify(cw_group_pe(caf.group, images[i] - 1));
    caf_code_t code = CAF_OK;
    for (int i = 0; i < n; i++)
        code = graver(code, await(cw_group_pe(caf.group, images[i] - 1)));
    finish(status, code);
}

void caf_sync_every_image(const caf_status_t *status)
{
    caf_complete();
    for (int rank = 0; rank < caf.group->size; rank++)
        notify(cw_group_pe(caf.group, rank));
    caf_code_t code = CAF_OK;
    for (int rank = 0; rank < caf.group->size; rank++)
        code = graver(code, await(cw_group_pe(caf.group, rank)));
    finish(status, code);
}

void caf_sync_close(void)
{
    free(done);
    done = NULL;
}
