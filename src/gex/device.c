// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet-EX: memory of devices: segments of it, and transfers in which it takes part. The segment
// of an endpoint is a part (core/device/part.h), whose name its process publishes with it. Where
// memory of a device is on this side only, the other side is host memory: copied at once where it
// is mapped here, else through host memory of this process, by the paths that such memory has.
// Vectors go by rows, of which devices copy many at a time.
#include "gex/device.h"

#include <stdlib.h>

#include "base/error.h"
#include "core/device/copy.h"
#include "core/device/part.h"
#include "core/mem/foreign.h"
#include "core/owner/copy.h"
#include "gasnet_job/transfer.h"
#include "gasnet_job/vis.h"

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
    gex_check_remote(call, tm, pe, pe, remote, nbytes);  // ranks of pairs are the job's
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

// ---------------------------------------------------------------- vectors
bool gex_device_is_in(gex_TM_t tm, const cw_vector_t *v)
{
    char *addr = NULL;
    size_t nbytes = 0;
    cw_vector_walk_t walk;
    if (!tm->is_special || !__atomic_load_n(&gex.devices, __ATOMIC_RELAXED) ||
        gas.segments == GAS_EVERYTHING)
        return false;
    if (gex_find_part(v->pe, tm->remote))
        return true;
    cw_vector_begin(&walk, &v->local);
    while (cw_vector_next(&walk, &addr, &nbytes))
        if (nbytes > 0 && cw_foreign_holds(addr))
            return true;
    return false;
}

typedef struct mover {
    gex_TM_t tm;
    const cw_vector_t *v;
    bool in_flight;
} mover_t;

static void check_rows(const mover_t *m, uintptr_t remote, ptrdiff_t stride, const cw_rows_t *r)
{
    const uint32_t pe = m->v->pe;
    gex_check_remote(m->v->call, m->tm, pe, pe, (const void *)remote, r->nbytes);
    remote += (r->n - 1) * (uintptr_t)stride;
    gex_check_remote(m->v->call, m->tm, pe, pe, (const void *)remote, r->nbytes);
}

/** To or from a part. */
static void move_part(void *data, const cw_rows_t *r)
{
    mover_t *m = data;
    const cw_vector_t *v = m->v;
    const uintptr_t remote = v->put ? r->dest : r->src;
    const ptrdiff_t stride = v->put ? r->dest_stride : r->src_stride;
    cw_device_rows_there_t rows = {.there_stride = stride,
                                   .here = (char *)(v->put ? r->src : r->dest),
                                   .here_stride = v->put ? r->src_stride : r->dest_stride,
                                   .nbytes = r->nbytes,
                                   .n = r->n};
    name_part(v->call, m->tm, v->pe, (const void *)remote, r->nbytes, &rows);
    check_rows(m, remote, stride, r);
    if (v->put)
        m->in_flight |= cw_device_part_put(v->call, (int)v->pe, &rows, remote);
    else
        cw_device_part_get(v->call, (int)v->pe, &rows, remote);
}

static void copy_rows(void *data, const cw_rows_t *r)
{
    (void)data;
    cw_device_copy_rows(r);
}

/** The local side packed in host memory, as a list of the same kind. */
typedef struct packed {
    cw_region_t region;
    size_t strides[CW_VECTOR_MAX_LEVELS];
    cw_vector_list_t list;
} packed_t;

static void make_packed(packed_t *p, const cw_vector_list_t *local, char *bytes, size_t total)
{
    size_t step = local->len;
    p->region = (cw_region_t){bytes, total};
    if (local->regions) {
        cw_vector_regions(&p->list, 1, &p->region);
    } else if (local->addresses) {
        cw_vector_indexed(&p->list, 1, &p->region.addr, total);
    } else {
        for (size_t i = 0; i < local->levels; i++) {
            p->strides[i] = step;
            step *= local->count[i];
        }
        cw_vector_strided(&p->list, bytes, p->strides, local->len, local->count, local->levels);
    }
}

/** Between a device here and memory of the host there. */
static void move_packed(const cw_vector_t *v)
{
    packed_t packed;
    const size_t total = cw_vector_total(&v->local);
    char *bytes = malloc(total);
    if (!bytes)
        cwu_fatal("%s: out of memory for a transfer between a device and another process", v->call);
    cw_vector_t host = *v, here = *v;
    make_packed(&packed, &v->local, bytes, total);
    host.local = here.remote = packed.list;  // as if it were there
    if (v->put)
        cw_vector_rows(&here, copy_rows, NULL);
    cw_vector_blocking(&host);
    if (!v->put)
        cw_vector_rows(&here, copy_rows, NULL);
    free(bytes);
}

bool gex_device_vector(gex_TM_t tm, const cw_vector_t *v)
{
    CW_WATCH(gas_watch(v->call));
    gas_vis_check(v);
    mover_t m = {.tm = tm, .v = v};
    if (cw_vector_total(&v->local) == 0)
        return false;
    if (gex_find_part(v->pe, tm->remote))
        cw_vector_rows(v, move_part, &m);
    else
        move_packed(v);
    return m.in_flight;
}
