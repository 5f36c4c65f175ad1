// SPDX-License-Identifier: BSD-3-Clause
//
// Sizes and places of the areas.
#include "core/mem/area.h"

#include "core/mem/segment.h"
#include "core/world/front_end.h"
#include "core/world/world.h"

#define UNIT 65536u
#define OWN_NBYTES ((uint64_t)32 << 20)
#define OWN_NBYTES_A_PE ((uint64_t)16 << 10)

#define SPARSE_MOST (UINT64_C(1) << 44)  // of addresses, for all PEs of a machine

enum { AREAS_MOST = 4 };

/** In the order of their places. */
static struct {
    struct {
        const cw_area_request_t *request;
        uint64_t nbytes;  // 0: not wanted
    } area[AREAS_MOST];
    int n;
    bool leaves_data;
} areas CW_WRITTEN_AT_LOAD;

void cw_area_reserve(const cw_area_request_t *request)
{
    for (int i = 0; i < areas.n; i++)
        if (areas.area[i].request == request)
            return;
    if (areas.n == AREAS_MOST)
        cwu_fatal("%s: %d front ends have areas already", request->what, areas.n);
    areas.area[areas.n++].request = request;
}

void cw_area_leave_data(void)
{
    areas.leaves_data = true;
}

bool cw_area_leaves_data(void)
{
    return areas.leaves_data;
}

bool cw_area_beside_symmetric(void)
{
    // a front end that joined the job alone left the data where it was
    return (cw_world.initialized && !areas.leaves_data) || cw_program_uses_named_routines();
}

/** The largest power of two, up to `most`, that all PEs can have: hosts that differ little
 *  agree. */
static uint64_t default_size(uint64_t machine_nbytes, uint64_t most)
{
    uint64_t share = machine_nbytes / cw_machine_sharers(), size = UINT64_C(1) << 20;
    while (size <= share / 2 && size <= most / 2 && size < UINT64_C(1) << 40)
        size *= 2;
    return size;
}

/** All of the machine for each PE, as a power of two, as far as addresses go. */
static uint64_t sparse_size(uint64_t machine_nbytes, uint64_t most)
{
    uint64_t size = UINT64_C(1) << 30;
    if (most > SPARSE_MOST / cw_machine_sharers())
        most = SPARSE_MOST / cw_machine_sharers();
    while (size < machine_nbytes && size <= most / 2)
        size *= 2;
    while (size > most && size > UINT64_C(1) << 20)
        size /= 2;
    return size;
}

/** As asked for, else a PE's share in coarse steps. */
static uint64_t wanted_size(uint64_t wanted, uint64_t machine_nbytes, uint64_t most)
{
    uint64_t size = (wanted + (UNIT - 1)) / UNIT * UNIT, fits = most;
    if (machine_nbytes && machine_nbytes / cw_machine_sharers() < fits)
        fits = machine_nbytes / cw_machine_sharers();
    if (size <= fits)
        return size;
    uint64_t step = UNIT;
    while (step <= fits / 16)
        step *= 2;
    return fits >= step ? fits / step * step : step;
}

static uint64_t choose(const cw_area_request_t *request, uint64_t machine_nbytes, uint64_t most)
{
    if (request->sparse)
        return sparse_size(machine_nbytes, most);
    cw_agreement_area_setting = request->setting;
    uint64_t wanted;
    return request->nbytes(machine_nbytes, &wanted) ? wanted_size(wanted, machine_nbytes, most)
                                                    : default_size(machine_nbytes, most);
}

uint64_t cw_area_choose(uint64_t machine_nbytes, uint64_t most)
{
    uint64_t sum = 0;
    for (int i = 0; i < areas.n; i++) {
        const cw_area_request_t *request = areas.area[i].request;
        areas.area[i].nbytes = 0;
        if (!request->is_wanted || request->is_wanted())
            areas.area[i].nbytes = choose(request, machine_nbytes, most);
        sum += areas.area[i].nbytes;
    }
    return sum;
}

// ---------------------------------------------------------------- places
static uint64_t own_nbytes(uint64_t area_nbytes)
{
    uint64_t nbytes = OWN_NBYTES + (uint64_t)cw_world.npes * OWN_NBYTES_A_PE;
    return area_nbytes ? (nbytes + (UNIT - 1)) / UNIT * UNIT : 0;
}

/** NULL: of all. */
static uint64_t nbytes_before(const cw_area_request_t *request)
{
    uint64_t sum = 0;
    for (int i = 0; i < areas.n && areas.area[i].request != request; i++)
        sum += areas.area[i].nbytes + own_nbytes(areas.area[i].nbytes);
    return sum;
}

uint64_t cw_area_nbytes(void)
{
    return nbytes_before(NULL);
}

bool cw_area_is_sparse(void)
{
    bool sparse = false;
    for (int i = 0; i < areas.n; i++)
        sparse |= areas.area[i].nbytes && areas.area[i].request->sparse;
    return sparse;
}

void *cw_area(const cw_area_request_t *request, size_t *nbytes_p)
{
    const cw_segment_t *s = &cw_segment;
    char *first = s->heap + s->layout.heap_nbytes - cw_area_nbytes();
    *nbytes_p = 0;
    for (int i = 0; i < areas.n; i++)
        if (areas.area[i].request == request)
            *nbytes_p = areas.area[i].nbytes;
    return *nbytes_p ? first + nbytes_before(request) : NULL;
}

void *cw_area_own(const cw_area_request_t *request, size_t *nbytes_p)
{
    size_t area_nbytes;
    char *area = cw_area(request, &area_nbytes);
    *nbytes_p = own_nbytes(area_nbytes);
    return area ? area + area_nbytes : NULL;
}

void *cw_area_early(const void *symmetric, int pe)
{
    if (cw_world.node_of_pe[pe] != cw_world.node)
        return NULL;
    return cw_segment.base + cw_slice_offset((uint32_t)cw_world.slot_of_pe[pe]) +
           ((uintptr_t)symmetric - cw_segment.origin);
}

uintptr_t cw_area_origin(void)
{
    return cw_segment.origin;
}

void cw_area_heap(uint64_t *offset_p, uint64_t *nbytes_p)
{
    *offset_p = cw_segment.layout.heap_offset + CW_COLL_SCRATCH;
    *nbytes_p = cw_segment.layout.heap_nbytes - CW_COLL_SCRATCH;
}
