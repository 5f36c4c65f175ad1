// SPDX-License-Identifier: BSD-3-Clause
//
// What cold paths and checking mode verify, and how they say it.
#include <stdarg.h>
#include <stdio.h>

#include "core/ctx.h"
#include "core/rma.h"
#include "core/segment.h"

#define LARGEST_COUNT ((size_t)1 << 47)  // more bytes than there are addresses: a negative count in disguise

noreturn void cw_check_failed(const char *call, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    cwu_fatal("%s: %s", call, text);
}

void cw_validate(const char *call, const void *symmetric, size_t nbytes, int pe)
{
    const cwt_layout_t *l = &cw_segment.layout;
    if (!cw_world.initialized)
        cw_check_failed(call, "called %s",
                        cw_world.finalized ? "after shmem_finalize; move shmem_finalize behind the last use"
                                           : "before shmem_init; call shmem_init first");
    if (pe < 0 || pe >= cw_world.npes)
        cw_check_failed(call, "there is no PE %d; this job has PEs 0 to %d", pe, cw_world.npes - 1);
    if (nbytes > LARGEST_COUNT)
        cw_check_failed(call, "the count is negative or absurd (%zd bytes)", (ssize_t)nbytes);
    if (!cw_is_symmetric(symmetric, nbytes))
        cw_check_failed(call,
                        "%p (+%zu bytes) is not symmetric on PE %d; symmetric are the heap (shmem_malloc) %p-%p and "
                        "the program's static data %p-%p",
                        symmetric, nbytes, cw_world.pe, (void *)(cw_segment.heap + CW_COLL_SCRATCH),
                        (void *)(cw_segment.heap + l->heap_nbytes), (void *)cw_segment.origin,
                        (void *)(cw_segment.origin + l->data_nbytes));
}

/** What the inlined scalar put calls when its word is cold, with the PE where the key would be. */
ssize_t cw_cold_inject(void *ep, const void *buf, size_t nbytes, uint64_t fabric_addr, uint64_t addr, uint64_t pe)
{
    uint64_t bits = 0;
    (void)ep, (void)fabric_addr;
    memcpy(&bits, buf, nbytes);
    cw_put_scalar_cold(&cw_ctx_default, (void *)(uintptr_t)addr, bits, nbytes, (int)pe);
    return 0;
}

cwt_target_t cw_cold_target __attribute__((aligned(64))) = {
#if defined(__x86_64__)
    .inject = cw_cold_inject_thunk,
#else
    .inject = cw_cold_inject,
#endif
};
