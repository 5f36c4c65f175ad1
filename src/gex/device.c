// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: memory of devices: segments of it, and transfers in which it takes part. The segment
// of an endpoint is a part (core/device/part.h), whose name its process publishes with it. Where
// memory of a device is on this side only, the other side is host memory: copied at once where it
// is mapped here, else through host memory of this process, by the paths that such memory has.
#include <stdlib.h>

#include "base/error.h"
#include "core/device/copy.h"
#include "core/device/part.h"
#include "core/mem/foreign.h"
#include "core/owner/copy.h"
#include "gasnet_job/transfer.h"
#include "gex/gex.h"

#define PART ((size_t)1 << 20)  // bytes of host memory between a device here and a host there

// ---------------------------------------------------------------- segments
/** Of another process: what neither mapping nor network reaches. */
static bool is_far(uint32_t pe, const void *remote, size_t nbytes)
{
    return pe != gas.me && !cw_owner_reaches(&gas_owner, pe, remote, nbytes);
}

gex_way_t gex_find_way(gex_TM_t tm, uint32_t pe, const void *remote, const void *local,
                       size_t nbytes)
{
    if (nbytes == 0 || gas.segments == GAS_EVERYTHING)
        return GEX_PLAIN;
    if (__atomic_load_n(&gex.devices, __ATOMIC_RELAXED) &&
        (gex_find_part(pe, tm->remote) || (tm->is_special && cw_foreign_holds(local))))
        return GEX_BY_DEVICE;
    return is_far(pe, remote, nbytes) ? GEX_BY_OWNER : GEX_PLAIN;
}

int gex_device_provide(struct gex_causeway_segment *segment, gex_MK_t kind)
{
    const bool owned = !segment->addr;
    segment->from = GEX_ON_DEVICE;
    segment->kind = kind;
    if (!owned && !cw_device_is_on(kind->device, segment->addr, segment->nbytes)) {
        gex_error("gex_Segment_Create: the %zu bytes at %p are not in one allocation of memory of "
                  "device %d, which the kind stands for",
                  (size_t)segment->nbytes, segment->addr, kind->device);
        return GASNET_ERR_BAD_ARG;
    }
    cwu_error_print(!gex.quiet);
    if (owned)
        segment->addr = cw_device_allocate(kind->device, segment->nbytes);
    cwu_error_print(true);
    if (!segment->addr)
        return GASNET_ERR_RESOURCE;
    if (cw_device_share(kind->device, segment->addr, segment->nbytes, owned, &segment->part)) {
        gex_error("gex_Segment_Create: this process has %d segments of devices already",
                  CW_DEVICE_PARTS);
        return GASNET_ERR_RESOURCE;
    }
    pthread_mutex_lock(&gex.lock);
    kind->segments++;
    pthread_mutex_unlock(&gex.lock);
    __atomic_store_n(&gex.devices, true, __ATOMIC_RELAXED);
    return GASNET_OK;
}

void gex_device_end(struct gex_causeway_segment *segment)
{
    cw_device_unshare(segment->part);
    pthread_mutex_lock(&gex.lock);
    segment->kind->segments--;
    pthread_mutex_unlock(&gex.lock);
}

// ---------------------------------------------------------------- memory of a device there
/** That of the endpoint, from `remote` on. False: the endpoint's is the host's. */
static bool name_part(const char *call, gex_TM_t tm, uint32_t pe, const void *remote, size_t nbytes,
                      cw_device_rows_there_t *rows_p)
{
    uintptr_t begin = 0;
    rows_p->part = gex_find_part(pe, tm->remote);
    if (!rows_p->part)
        return false;
    gex_check_remote(call, tm, pe, pe, remote, nbytes);  // whose ranks are the job's
    gex_find_segment(pe, tm->remote, &begin, NULL);
    rows_p->there = (uintptr_t)remote - begin;
    return true;
}

// ---------------------------------------------------------------- memory of the host there
/** Where it is mapped here; NULL: nowhere. *wakes_p: behind a store look for sleepers. */
static void *mapped(uint32_t pe, const void *remote, size_t nbytes, bool *wakes_p)
{
    uintptr_t word = cw_owner_find_word(&gas_owner, pe);
    *wakes_p = !cw_owner_is_plain(word);
    return cw_owner_is_mapped(word) && !is_far(pe, remote, nbytes) ? cw_owner_local(word, remote)
                                                                   : NULL;
}

/** Between host memory here and there. */
static void move(const char *call, uint32_t pe, bool put, void *remote, void *local, size_t nbytes)
{
    cw_handle_op_t op = {0};
    if (!is_far(pe, remote, nbytes)) {
        if (put)
            gas_put(call, pe, remote, local, nbytes, CW_OWNER_BLOCKING, NULL);
        else
            gas_get(call, local, pe, remote, nbytes, CW_OWNER_BLOCKING, NULL);
        return;
    }
    if (put)
        cw_owner_copy_put(pe, remote, local, nbytes, &op);
    else
        cw_owner_copy_get(local, pe, remote, nbytes, &op);
    cw_handle_op_wait(call, &op);
}

static void through_host(const char *call, uint32_t pe, bool put, char *remote, char *local,
                         size_t nbytes)
{
    char *part = malloc(nbytes < PART ? nbytes : PART);
    if (!part)
        cwu_fatal("%s: out of memory for a transfer between a device and another process", call);
    for (size_t at = 0, n; at < nbytes; at += n) {
        n = nbytes - at < PART ? nbytes - at : PART;
        if (put)
            cw_device_copy(part, local + at, n);
        move(call, pe, put, remote + at, part, n);
        if (!put)
            cw_device_copy(local + at, part, n);
    }
    free(part);
}

// ---------------------------------------------------------------- transfers
bool gex_device_put(const char *call, gex_TM_t tm, uint32_t pe, void *dest, const void *src,
                    size_t nbytes)
{
    CW_WATCH(gas_watch(call));
    cw_device_rows_there_t rows = {.here = (char *)(uintptr_t)src, .nbytes = nbytes, .n = 1};
    bool wakes;
    if (name_part(call, tm, pe, dest, nbytes, &rows))
        return cw_device_part_put(call, (int)pe, &rows, (uintptr_t)dest);
    void *near = mapped(pe, dest, nbytes, &wakes);
    if (!near) {
        through_host(call, pe, true, dest, (char *)(uintptr_t)src, nbytes);
        return false;
    }
    cw_device_copy(near, src, nbytes);
    if (wakes)
        cw_local_stored((int)pe);
    return false;
}

void gex_device_get(const char *call, gex_TM_t tm, void *dest, uint32_t pe, const void *src,
                    size_t nbytes)
{
    CW_WATCH(gas_watch(call));
    cw_device_rows_there_t rows = {.here = dest, .nbytes = nbytes, .n = 1};
    bool wakes;
    if (name_part(call, tm, pe, src, nbytes, &rows)) {
        cw_device_part_get(call, (int)pe, &rows, (uintptr_t)src);
        return;
    }
    const void *near = mapped(pe, src, nbytes, &wakes);
    if (near)
        cw_device_copy(dest, near, nbytes);
    else
        through_host(call, pe, false, (char *)(uintptr_t)src, dest, nbytes);
}
