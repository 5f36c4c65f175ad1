// SPDX-License-Identifier: BSD-3-Clause
//
// What kernels' handle leads to, and the thread that serves it.
#include "core/device/world.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/futex.h"
#include "base/thread.h"
#include "base/wait.h"
#include "core/coll/coll.h"
#include "core/device/copy.h"
#include "core/device/heap.h"
#include "core/device/ring.h"
#include "core/mem/area.h"
#include "core/mem/heap.h"
#include "core/mem/memory.h"
#include "core/mem/segment.h"
#include "core/port/ctx.h"
#include "core/progress/wait.h"
#include "core/rma/amo.h"
#include "core/rma/rma.h"
#include "core/world/agreement.h"

static struct {
    bool made;
    cwd_world_t handle;
    char *shared;          // of the symmetric heap: kernels and this library share it
    void *near_words;      // of the device heap: kernels share it
    uint32_t nenlisted;    // parts of the node object
    uint64_t heap_nbytes;  // of each symmetric heap, from its begin on
    cw_device_ring_t ring;
    pthread_t thread;
    bool running;
    _Atomic uint32_t users;  // futex
    _Atomic bool stop;
} world;

// ---------------------------------------------------------------- the node object
static uint32_t parts_a_slot(void)
{
    return cw_segment.data.nparts + 1;
}

static void reach_block(void *arg, const void *start, size_t nbytes, const void *tag)
{
    uint64_t end = (uintptr_t)start + nbytes - (uintptr_t)cw_segment.heap - CW_COLL_SCRATCH;
    (void)tag;
    if (end > *(uint64_t *)arg)
        *(uint64_t *)arg = end;
}

/** To the end of the symmetric heap's last block, the same on all PEs: the heap may be as large as
 *  a machine's memory. */
static uint64_t used_nbytes(void)
{
    const uint64_t page = 65536;
    uint64_t used = 0;
    cw_heap_walk(reach_block, &used);
    used = (used + page - 1) / page * page;
    return used < cw_agreement.heap_nbytes ? used : cw_agreement.heap_nbytes;
}

/** Part i: of each slot the parts of static data, then the symmetric heap. */
static char *part_of_node(uint32_t i, size_t *nbytes_p)
{
    uint32_t which = i % parts_a_slot();
    char *slice = cw_segment.base + cw_slice_offset(i / parts_a_slot());
    if (which == cw_segment.data.nparts) {
        *nbytes_p = world.heap_nbytes;
        return slice + cw_segment.layout.heap_offset + CW_COLL_SCRATCH;
    }
    const cw_data_part_t *part = &cw_segment.data.part[which];
    *nbytes_p = part->nbytes;
    return slice + (part->start - cw_segment.data.start);
}

static void delist_all(void)
{
    size_t nbytes;
    while (world.nenlisted > 0)
        cw_device_heap.vendor->delist(cw_device_heap.device,
                                      part_of_node(--world.nenlisted, &nbytes));
}

static int enlist_all(void)
{
    const cw_device_heap_t *h = &cw_device_heap;
    int rc = CW_OK;
    world.heap_nbytes = used_nbytes();
    world.handle.host_reached = cw_segment.layout.heap_offset + CW_COLL_SCRATCH + world.heap_nbytes;
    while (rc == CW_OK && world.nenlisted < (uint32_t)cw_world.nslots * parts_a_slot()) {
        size_t nbytes;
        char *at = part_of_node(world.nenlisted, &nbytes);
        rc = h->vendor->enlist(h->device, at, nbytes);
        world.nenlisted += rc == CW_OK;
    }
    return rc;
}

// ---------------------------------------------------------------- what lies where
static uint32_t places(void)
{
    uint32_t n = 4;
    while (n < (uint32_t)cwu_env.device_ring)
        n *= 2;
    return n;
}

/** Are the PEs of each node numbered consecutively? The same on all PEs. */
static bool is_in_order(void)
{
    for (int pe = 1; pe < cw_world.npes; pe++)
        if (cw_world.slot_of_pe[pe] > 0 && cw_world.node_of_pe[pe] != cw_world.node_of_pe[pe - 1])
            return false;
    return true;
}

// In the symmetric heap, each on lines of its own:
// `taken` | cells of atomics | room of agreements | answers | requests
enum { CELLS_AT = CW_CACHE_LINE, ROOM_AT = 2 * CW_CACHE_LINE, ANSWERS_AT = 3 * CW_CACHE_LINE };
_Static_assert(CW_DEVICE_ROOM <= CW_CACHE_LINE, "one line");

static size_t shared_nbytes(void)
{
    return ANSWERS_AT + places() * (sizeof(cwd_answer_t) + sizeof(cwd_request_t));
}

// In the device heap: words of the kernels | readers | peers | slots of all PEs, if need be.
static size_t near_nbytes(void)
{
    return sizeof(cwd_near_t) + places() * sizeof(uint64_t) +
           (size_t)cw_world.max_slots * sizeof(cwd_peer_t) +
           (is_in_order() ? 0 : (size_t)cw_world.npes * sizeof(uint32_t));
}

static int fill_peer(cwd_peer_t *peer, int slot)
{
    const cw_device_heap_t *h = &cw_device_heap;
    bool exact = false;
    int rc = h->slice[slot].is_direct ? h->vendor->atomics(h->device, h->slice[slot].device, &exact)
                                      : CW_OK;
    peer->host = (uintptr_t)cw_segment.base + cw_slice_offset((uint32_t)slot) - cw_segment.origin;
    peer->device = (uintptr_t)cw_device_slice(slot) - h->base;
    peer->direct = h->slice[slot].is_direct;
    peer->atomic = exact;
    return rc;
}

/** The device's part, and the handle's pointers there. */
static int fill_near(cwd_world_t *w)
{
    char *image = calloc(1, near_nbytes()), *at = image + sizeof(cwd_near_t);
    int rc = CW_OK;
    if (!image) {
        cwu_error("out of memory for the tables of kernels");
        return CW_ENOMEM;
    }
    char *there = world.near_words;
    w->near_words = (cwd_near_t *)(void *)there;
    w->reader = (uint64_t *)(void *)(there + (at - image));
    at += places() * sizeof(uint64_t);
    w->peer = (cwd_peer_t *)(void *)(there + (at - image));
    for (int slot = 0; rc == CW_OK && slot < cw_world.nslots; slot++, at += sizeof(cwd_peer_t))
        rc = fill_peer((cwd_peer_t *)(void *)at, slot);
    at += (size_t)(cw_world.max_slots - cw_world.nslots) * sizeof(cwd_peer_t);
    if (!is_in_order()) {
        w->slot_of = (uint32_t *)(void *)(there + (at - image));
        for (int pe = 0; pe < cw_world.npes; pe++)
            ((uint32_t *)(void *)at)[pe] = cw_world.node_of_pe[pe] == cw_world.node
                                               ? (uint32_t)cw_world.slot_of_pe[pe]
                                               : UINT32_MAX;
    }
    if (rc == CW_OK)
        rc = cw_device_heap.vendor->copy(cw_device_heap.device, there, image, near_nbytes());
    free(image);
    return rc;
}

/** By the enlisted view of the node object. */
static void fill_shared(cwd_world_t *w)
{
    char *there = cw_area_early(world.shared, cw_world.pe), *here = world.shared;
    const size_t requests_at = ANSWERS_AT + places() * sizeof(cwd_answer_t);
    memset(here, 0, shared_nbytes());
    w->taken = (uint64_t *)(void *)there;
    w->answer = (cwd_answer_t *)(void *)(there + ANSWERS_AT);
    w->ring = (cwd_request_t *)(void *)(there + requests_at);
    w->mask = places() - 1;
    world.ring = (cw_device_ring_t){.request = (cwd_request_t *)(void *)(here + requests_at),
                                    .answer = (cwd_answer_t *)(void *)(here + ANSWERS_AT),
                                    .taken = (uint64_t *)(void *)here,
                                    .mask = places() - 1};
}

static int fill(cwd_world_t *w)
{
    *w = (cwd_world_t){.host_reached = w->host_reached,
                       .device_at = cw_device_heap.base,
                       .device_nbytes = cw_device_heap.stride,
                       .host_at = cw_segment.origin,
                       .host_nbytes = cw_segment.layout.heap_offset + CW_COLL_SCRATCH +
                                      cw_agreement.heap_nbytes,
                       .pe = cw_world.pe,
                       .npes = cw_world.npes,
                       .first = (uint32_t)cw_world.pes_of_node[0],
                       .nslots = (uint32_t)cw_world.nslots};
    fill_shared(w);
    return fill_near(w);
}

// ---------------------------------------------------------------- the thread
static int open_context(void)
{
    const cw_ctx_config_t config = {
        .stride = 1, .size = cw_world.npes, .options = CW_CTX_SERIALIZED | CW_CTX_PRIVATE};
    return cw_ctx_create(&config, &world.ring.ctx);
}

#define TURN 64u  // requests between looks at the node's sleepers

/** While there are users. */
static void serve_users(void)
{
    const cwu_wait_plan_t plan = cwu_wait_plan(CWU_WAIT_NAPS, false);
    uint64_t last_ns = cwu_now_ns(), since_ns = 0;
    for (uint32_t round = 0; atomic_load(&world.users) > 0 && !atomic_load(&world.stop); round++) {
        if (cw_device_ring_serve(&world.ring, TURN) > 0) {
            last_ns = cwu_now_ns();
            round = 0;
            since_ns = 0;
        }
        if (round % TURN == 0 && cw_has_sleepers())
            cw_wake_changed(false);
        cwu_wait_step_t step = cwu_wait_step(&plan, round, 0, &since_ns);
        if (step == CWU_POLL) {
            cwu_cpu_pause();
        } else if (step == CWU_YIELD) {
            cwu_yield();
        } else {
            if (cw_has_sleepers())
                cw_wake_changed(false);
            cwu_sleep_ns(cwu_wait_nap_ns(cwu_now_ns() - last_ns));
        }
    }
}

static void *serve_main(void *arg)
{
    (void)arg;
    prctl(PR_SET_TIMERSLACK, 1000ul);
    if (open_context())
        cwu_fatal("out of memory for the context of what kernels ask for");
    while (!atomic_load(&world.stop)) {
        serve_users();
        cwu_futex_wait((const uint32_t *)&world.users, 0, 0);
    }
    cw_device_ring_serve(&world.ring, UINT32_MAX);  // what kernels have left
    cw_ctx_destroy(world.ring.ctx);
    return NULL;
}

static int start_thread(void)
{
    atomic_store(&world.stop, false);
    atomic_store(&world.users, 0);
    atomic_fetch_add(&cw_world.helpers, 1);
    int rc = cwu_thread_start(&world.thread, serve_main, NULL, "causeway-device");
    if (rc) {
        atomic_fetch_sub(&cw_world.helpers, 1);
        cwu_error("cannot start the thread that serves kernels: %s", strerror(rc));
        return CW_ESYS;
    }
    world.running = true;
    return CW_OK;
}

// ---------------------------------------------------------------- life
static int may_open(void)
{
    if (cw_world.thread_multiple)
        return CW_OK;
    cwu_error(
        "kernels need a job in which any thread may make calls (thread level multiple), since a "
        "thread of the library makes their transfers");
    return CW_EINVAL;
}

static uint64_t *cells(void)
{
    return (uint64_t *)(void *)((char *)cw_area_early(world.shared, cw_world.pe) + CELLS_AT);
}

/** The first launch loads the kernel: not while kernels wait for an atomic. */
static int prepare_devices(void)
{
    const cw_device_heap_t *h = &cw_device_heap;
    const cw_device_atomic_t none = {world.near_words, CW_AMO_FETCH, 8, 0, 0};
    int rc = CW_OK;
    for (int slot = 0; rc == CW_OK && slot < cw_world.nslots; slot++) {
        int device = cw_device_of_slice(slot);
        if ((rc = h->vendor->prepare(device)) == CW_OK)
            rc = h->vendor->atomic(device, &none, cells());
    }
    return rc;
}

static void unmake(void)
{
    delist_all();
    if (world.near_words)
        cw_device_free(world.near_words);
    if (world.shared)
        cw_heap_free(world.shared);
    world.near_words = world.shared = NULL;
}

static int make_steps(void)
{
    int rc = enlist_all();
    if (rc == CW_OK && (rc = prepare_devices()) == CW_OK && (rc = fill(&world.handle)) == CW_OK)
        rc = start_thread();
    return rc;
}

static void give_up(void)
{
    cw_device_atomics_by_kernel(NULL);
    cw_device_world_leave();
    unmake();
    world.made = false;
}

/** All PEs, or none. */
static int make(uint64_t *room)
{
    int rc = cw_device_all_well(room, may_open());
    if (rc || (rc = cw_device_all_same(room, places(), "CAUSEWAY_DEVICE_RING")))
        return rc;
    // the same on all PEs, so all miss the same one, or none
    world.shared = cw_heap_malloc(CW_CACHE_LINE, shared_nbytes());
    world.near_words = cw_device_malloc(CW_CACHE_LINE, near_nbytes());
    if (!world.shared || !world.near_words) {
        cwu_error("kernels need %zu bytes of the %s heap, which has no such room",
                  world.shared ? near_nbytes() : shared_nbytes(),
                  world.shared ? "device" : "symmetric");
        rc = CW_ENOMEM;
    } else {
        rc = make_steps();
    }
    if ((rc = cw_device_all_well(room, rc)) != CW_OK)
        give_up();
    return rc;
}

static int open_first(void)
{
    uint64_t *room = cw_heap_malloc(CW_CACHE_LINE, CW_DEVICE_ROOM);
    if (!room) {
        cwu_error("no room in the symmetric heap for the handle of kernels");
        return CW_ENOMEM;
    }
    int rc = make(room);
    world.made = rc == CW_OK;
    if (world.made)
        cw_device_atomics_by_kernel(cells());
    cw_barrier(cw_group_world);
    cw_heap_free(room);
    return rc;
}

/** Blocks may have come behind what is enlisted. One registration a heap, since the driver copies
 *  from and to one at a time. */
static int reach_more(void)
{
    if (used_nbytes() <= world.heap_nbytes)
        return CW_OK;
    delist_all();
    int rc = enlist_all();
    rc = cw_device_all_well((uint64_t *)(void *)(world.shared + ROOM_AT), rc);
    if (rc)
        give_up();
    return rc;
}

int cw_device_world_open(cwd_world_t *world_p)
{
    cw_quiet(&cw_ctx_default);  // atomics under way keep their way
    cw_barrier(cw_group_world);
    int rc = world.made ? reach_more() : open_first();
    if (rc == CW_OK) {
        *world_p = world.handle;
        atomic_fetch_add(&world.users, 1);
        cwu_futex_wake((uint32_t *)&world.users, 1);
    }
    return rc;
}

int cw_device_world_end(void)
{
    uint32_t n = atomic_load(&world.users);
    while (n > 0 && !atomic_compare_exchange_weak(&world.users, &n, n - 1))
        ;
    return n > 0 ? CW_OK : CW_EINVAL;
}

void cw_device_world_leave(void)
{
    if (!world.running)
        return;
    atomic_store(&world.stop, true);
    atomic_fetch_add(&world.users, 1);  // it does not go to sleep on it
    cwu_futex_wake((uint32_t *)&world.users, 1);
    pthread_join(world.thread, NULL);
    atomic_fetch_sub(&cw_world.helpers, 1);
    world.running = false;
    atomic_store(&world.users, 0);
}

void cw_device_world_close(void)
{
    cw_device_atomics_by_kernel(NULL);
    delist_all();
    world.near_words = world.shared = NULL;  // their heaps end
    world.made = false;
}
