// SPDX-License-Identifier: BSD-3-Clause
//
// How a node's PEs make and map the device heap, its allocator, its end.
//
// Each step that may fail ends in an agreement of all PEs, so no PE waits for one that has given
// up, except for its descriptor until CAUSEWAY_TIMEOUT.
#include "core/device/heap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/error.h"
#include "core/coll/coll.h"
#include "core/device/driver.h"
#include "core/device/part.h"
#include "core/device/remote.h"
#include "core/device/world.h"
#include "core/mem/foreign.h"
#include "core/mem/gather.h"
#include "core/mem/memory.h"
#include "core/mem/pass.h"
#include "core/observe/known.h"
#include "core/port/ctx.h"

// Where all PEs try to have the heap, in turn: far from what programs, libraries and sanitizers
// use.
#define FIRST_BASE UINT64_C(0x400000000000)
#define NEXT_BASE UINT64_C(0x020000000000)
#define BASES 8
#define SLICE_MOST (UINT64_C(1) << 40)  // bytes; within what a request's offset may have

cw_device_heap_t cw_device_heap CW_LARGE = {.vendor = NULL};

/** What a node's PEs tell each other. */
typedef struct card {
    uint64_t pass;  // name for descriptors
    uint8_t uuid[16];
} card_t;

// ---------------------------------------------------------------- agreement
static void and_words(void *acc, const void *in, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((uint64_t *)acc)[i] &= ((const uint64_t *)in)[i];
}

/** The AND over all PEs of two words, through symmetric room for four. */
static void and_all(uint64_t *room, uint64_t *a, uint64_t *b)
{
    room[0] = *a;
    room[1] = *b;
    cw_reduce(cw_group_world, room + 2, room, 2, sizeof *room, and_words);
    *a = room[2];
    *b = room[3];
}

int cw_device_all_well(uint64_t *room, int rc)
{
    uint64_t well = rc == CW_OK, unused = 0;
    and_all(room, &well, &unused);
    return well ? CW_OK : rc ? rc : CW_ENOTSUP;
}

// ---------------------------------------------------------------- this PE's device
static int find_reached(cw_device_heap_t *h, int ndevices)
{
    int rc = CW_OK;
    for (int other = 0; rc == CW_OK && other < ndevices; other++) {
        bool reaches = false;
        rc = h->vendor->reaches(h->device, other, &reaches);
        h->reached |= (uint64_t)reaches << other;
    }
    return rc;
}

static int check_facts(const cw_device_facts_t *f, int device)
{
    if (f->maps && f->exports)
        return CW_OK;
    cwu_error("device %d (%s) cannot have a device heap: its memory cannot be %s", device, f->name,
              f->maps ? "passed to other processes by descriptors" : "mapped at chosen addresses");
    return CW_ENOTSUP;
}

/** What needs no other PE. */
static int prepare(cw_device_heap_t *h, size_t nbytes, int *ndevices_p, card_t *card)
{
    cw_device_facts_t facts;
    size_t granule;
    int rc;
    if ((rc = cw_device_load()))
        return rc;
    h->vendor = cw_device_driver.vendor;
    *ndevices_p = cw_device_driver.ndevices;
    if ((rc = cw_device_choose(&h->device)) || (rc = h->vendor->facts(h->device, &facts)) ||
        (rc = check_facts(&facts, h->device)) || (rc = h->vendor->granule(h->device, &granule)) ||
        (rc = find_reached(h, *ndevices_p)))
        return rc;
    cw_device_adopt(h->device);
    memcpy(card->uuid, facts.uuid, sizeof card->uuid);
    if (nbytes > SLICE_MOST) {
        cwu_error("a device heap of %zu bytes is larger than any device", nbytes);
        return CW_EINVAL;
    }
    h->stride = (nbytes + granule - 1) / granule * granule;
    h->align_most = granule;
    cwu_debug("device %d of %d: %s; a slice of %llu bytes", h->device, *ndevices_p, facts.name,
              (unsigned long long)h->stride);
    return CW_OK;
}

static bool is_same(uint64_t *room, uint64_t value)
{
    uint64_t ones = value, zeros = ~value;
    and_all(room, &ones, &zeros);
    return ones == value && zeros == ~value;
}

int cw_device_all_same(uint64_t *room, uint64_t value, const char *variable)
{
    if (is_same(room, value))
        return CW_OK;
    if (cw_world.pe == 0)
        cwu_error("%s is not the same on all PEs (%llu here); all must have the same", variable,
                  (unsigned long long)value);
    return CW_EINVAL;
}

/** The same size everywhere? All PEs get the same result. */
static int agree_on_size(uint64_t *room, uint64_t stride)
{
    if (is_same(room, stride))
        return CW_OK;
    if (cw_world.pe == 0)
        cwu_error("the PEs ask for device heaps of different sizes (%llu bytes here); all must "
                  "pass the same",
                  (unsigned long long)stride);
    return CW_EINVAL;
}

// ---------------------------------------------------------------- the range
static uint64_t range_nbytes(const cw_device_heap_t *h)
{
    return h->stride * ((uint64_t)cw_world.max_slots + 1);
}

/** At one base on all PEs, if all can have one. */
static int reserve(cw_device_heap_t *h, uint64_t *room)
{
    for (int i = 0; i < BASES; i++) {
        uintptr_t wish = FIRST_BASE + (uintptr_t)i * NEXT_BASE, got = 0;
        int rc = h->vendor->reserve(h->device, wish, range_nbytes(h), &got);
        uint64_t well = rc == CW_OK, same = well && got == wish;
        and_all(room, &well, &same);
        if (well && same) {
            h->base = got;
            h->align_most = SLICE_MOST;
            return CW_OK;
        }
        if (well && i == BASES - 1) {
            cwu_debug("the PEs' device heaps are at different addresses: %#lx here",
                      (unsigned long)got);
            h->base = got;
            return CW_OK;
        }
        if (rc == CW_OK)
            h->vendor->unreserve(h->device, got, range_nbytes(h));
        if (!well)
            return rc ? rc : CW_ENOTSUP;
    }
    return CW_ENOTSUP;  // unreachable
}

// ---------------------------------------------------------------- slices
static int map_slice(cw_device_heap_t *h, int slot)
{
    cw_slice_t *s = &h->slice[slot];
    int rc = h->vendor->map(s->is_direct ? h->device : s->device, (uintptr_t)cw_device_slice(slot),
                            h->stride, s->memory);
    if (rc) {
        h->vendor->release(h->device, s->memory);
        s->memory = 0;
    }
    return rc;
}

/** This PE's memory, mapped, and its descriptor for the others. */
static int make_own(cw_device_heap_t *h, int *fd_p)
{
    cw_slice_t *own = &h->slice[cw_world.slot];
    own->device = h->device;
    own->is_direct = true;
    int rc = h->vendor->create(h->device, h->stride, &own->memory);
    if (rc == CW_OK)
        rc = map_slice(h, cw_world.slot);
    if (rc == CW_OK && cw_world.nslots > 1)
        rc = h->vendor->give(h->device, own->memory, fd_p);
    return rc;
}

/** Finds the peer's device among this process's, and whether this PE's own reaches it. */
static int find_device(const cw_device_heap_t *h, int ndevices, const card_t *card, int slot,
                       cw_slice_t *s)
{
    int rc = cw_device_with_uuid(card->uuid, &s->device);
    if (rc == CW_OK)
        s->is_direct = h->reached >> s->device & 1;
    if (rc != CW_ENOENT)
        return rc;
    cwu_error("the device of PE %d, of this node, is not among the %d that this process may use; "
              "let all PEs of a node see the same devices (CUDA_VISIBLE_DEVICES), and choose by "
              "CAUSEWAY_DEVICE",
              cw_world.pes_of_node[slot], ndevices);
    return CW_ENOTSUP;
}

static int map_peers(cw_device_heap_t *h, int ndevices, const card_t *cards, const int *fds)
{
    int rc = CW_OK;
    for (int slot = 0; rc == CW_OK && slot < cw_world.nslots; slot++) {
        cw_slice_t *s = &h->slice[slot];
        if (slot == cw_world.slot)
            continue;
        if ((rc = find_device(h, ndevices, &cards[slot], slot, s)) == CW_OK &&
            (rc = h->vendor->take(h->device, fds[slot], &s->memory)) == CW_OK)
            rc = map_slice(h, slot);
    }
    return rc;
}

/** Passes the descriptors of the node's PEs, by their cards. */
static int pass(const cw_pass_t *pass, const card_t *cards, int fd, int *fds)
{
    uint64_t *names = malloc((size_t)cw_world.nslots * sizeof *names);
    if (!names) {
        cwu_error("out of memory for a device heap's table of %d PEs", cw_world.nslots);
        return CW_ENOMEM;
    }
    for (int slot = 0; slot < cw_world.nslots; slot++)
        names[slot] = cards[slot].pass;
    int rc = cw_pass_all(pass, names, fd, fds);
    free(names);
    return rc;
}

static void close_all(int *fds)
{
    for (int slot = 0; slot < cw_world.nslots; slot++)
        if (fds[slot] >= 0)
            close(fds[slot]);
}

/** Own memory, and that of the node's other PEs. fds: [nslots]. */
static int make_slices(cw_device_heap_t *h, int ndevices, card_t *own, card_t *cards, int *fds,
                       uint64_t *room)
{
    cw_pass_t listens = {.sock = -1};
    int fd = -1, rc = make_own(h, &fd);
    if (rc == CW_OK)
        rc = cw_pass_open(&listens);
    own->pass = listens.name;
    for (int slot = 0; slot < cw_world.nslots; slot++)
        fds[slot] = -1;
    if ((rc = cw_device_all_well(room, rc)) == CW_OK) {
        card_t *mine = cards + cw_world.max_slots;
        *mine = *own;
        cw_fcollect(cw_group_shared, cards, mine, sizeof *mine);
        rc = pass(&listens, cards, fd, fds);
        if (rc == CW_OK)
            rc = map_peers(h, ndevices, cards, fds);
        rc = cw_device_all_well(room, rc);
    }
    close_all(fds);
    if (fd >= 0)
        close(fd);
    cw_pass_close(&listens);
    return rc;
}

static void unmake(cw_device_heap_t *h)
{
    for (int slot = 0; h->slice && slot < cw_world.nslots; slot++) {
        cw_slice_t *s = &h->slice[slot];
        if (!s->memory)
            continue;
        h->vendor->unmap(s->is_direct ? h->device : s->device, (uintptr_t)cw_device_slice(slot),
                         h->stride);
        h->vendor->release(h->device, s->memory);
    }
    if (h->base)
        h->vendor->unreserve(h->device, h->base, range_nbytes(h));
    free(h->slice);
    *h = (cw_device_heap_t){.vendor = NULL};
}

// ---------------------------------------------------------------- life
/** Symmetric room for agreements and cards, while the heap is made. */
static size_t room_nbytes(void)
{
    return CW_DEVICE_ROOM + ((size_t)cw_world.max_slots + 1) * sizeof(card_t);
}

static int make(cw_device_heap_t *h, size_t nbytes, uint64_t *room)
{
    card_t own = {0};
    int ndevices = 0, *fds = malloc((size_t)cw_world.nslots * sizeof *fds);
    h->slice = calloc((size_t)cw_world.nslots, sizeof *h->slice);
    int rc = CW_ENOMEM;
    if (fds && h->slice)
        rc = prepare(h, nbytes, &ndevices, &own);
    else
        cwu_error("out of memory for a device heap's table of %d PEs", cw_world.nslots);
    if ((rc = cw_device_all_well(room, rc)) == CW_OK &&
        (rc = agree_on_size(room, h->stride)) == CW_OK && (rc = reserve(h, room)) == CW_OK)
        rc = make_slices(h, ndevices, &own, (card_t *)(void *)(room + 4), fds, room);
    free(fds);
    if (rc)
        return rc;
    rc = cw_arena_init(&h->arena, (void *)h->base, h->stride);
    if (rc == CW_OK)
        rc = cw_ctx_go_cold();
    if (rc)
        cwu_error("out of memory for the tables of a device heap");
    return cw_device_all_well(room, rc);
}

int cw_device_open(size_t nbytes)
{
    cw_device_heap_t *h = &cw_device_heap;
    if (h->vendor || nbytes == 0) {
        cwu_error("a device heap of %zu bytes: %s", nbytes,
                  nbytes ? "this job has one already" : "it must have at least a byte");
        return CW_EINVAL;
    }
    uint64_t *room = cw_heap_malloc(CW_CACHE_LINE, room_nbytes());
    if (!room) {
        cwu_error("no room of %zu bytes in the symmetric heap to make a device heap",
                  room_nbytes());
        return CW_ENOMEM;
    }
    cw_gather();
    cw_barrier(cw_group_world);
    int rc = make(h, nbytes, room);
    if (rc == CW_OK) {
        cw_device_serve();
        cw_foreign = &cw_device_foreign;
        cw_known_void();  // pairs (core/observe/seen.h)
        cw_world.plain = false;
    } else {
        cw_arena_finish(&h->arena);
        unmake(h);
    }
    cw_barrier(cw_group_world);
    cw_heap_free(room);
    return rc;
}

void cw_device_close(void)
{
    cw_foreign = NULL;
    cw_device_parts_close();
    cw_device_world_close();
    cw_arena_finish(&cw_device_heap.arena);
    unmake(&cw_device_heap);
}

// ---------------------------------------------------------------- allocator
void *cw_device_malloc(size_t alignment, size_t nbytes)
{
    cw_device_heap_t *h = &cw_device_heap;
    return h->vendor && alignment <= h->align_most ? cw_arena_malloc(&h->arena, alignment, nbytes)
                                                   : NULL;
}

int cw_device_free(void *ptr)
{
    return cw_device_heap.vendor ? cw_arena_free(&cw_device_heap.arena, ptr) : CW_EINVAL;
}

size_t cw_device_size(const void *ptr)
{
    return cw_device_heap.vendor ? cw_arena_size(&cw_device_heap.arena, ptr) : 0;
}

void cw_device_describe(const void *ptr, char *text, size_t nbytes)
{
    cw_arena_describe(&cw_device_heap.arena, ptr, text, nbytes);
}

void *cw_device_ptr(const void *symmetric, int pe)
{
    uint64_t at = cw_device_heap.vendor ? cw_device_offset(symmetric) : UINT64_MAX;
    if (at == UINT64_MAX || pe < 0 || pe >= cw_world.npes ||
        cw_world.node_of_pe[pe] != cw_world.node)
        return NULL;
    int slot = cw_world.slot_of_pe[pe];
    return cw_device_heap.slice[slot].is_direct ? cw_device_slice(slot) + at : NULL;
}
