// SPDX-License-Identifier: BSD-3-Clause
//
// Makes and maps the node object, and moves static data into it.
#include "core/mem/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/futex.h"
#include "base/machine.h"
#include "base/pages.h"
#include "base/wait.h"
#include "core/mem/area.h"
#include "core/mem/backing.h"
#include "core/mem/foreign.h"
#include "core/mem/heap.h"
#include "core/mem/large.h"
#include "core/mem/memory.h"
#include "core/mem/sizes.h"
#include "core/world/one_address.h"
#include "core/world/world.h"

// addresses for brk and growth between static data and heap
#define HOLE (4ull << 30)
#define HOLES_MOST 16  // PEs of a view whose holes are closed, and gaps in static data
// Heaps begin at one address modulo this on all PEs (where static data does), for alignments above
// a page (ADR 79). At least CWU_PAGES_LARGE.
#define COMMON (2u << 20)
// Preferred for owner-addressed memory, at one address in a node: far from programs, libraries and
// stacks, 32 TiB behind it
#define PLACE ((uintptr_t)1 << 45)
// Preferred for a heap without static data: behind the shadow memory of sanitizers, 8 TiB before
// PLACE
#define HEAP_PLACE ((uintptr_t)24 << 40)
#define WIRE_VERSION 9u

cw_segment_t cw_segment = {.fd = -1};

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/** Returns where they end. */
static uint64_t place(cw_section_t *const sections[], cw_section_place_t in, uint64_t at)
{
    for (; *sections; sections++)
        if ((*sections)->in == in) {
            (*sections)->offset = round_up(at, (*sections)->align);
            at = (*sections)->offset + (*sections)->nbytes();
        }
    return round_up(at, 65536);
}

static void shape(const cw_sizes_t *sizes, cw_section_t *const sections[])
{
    cw_segment_t *s = &cw_segment;
    const cw_static_data_t *data = &s->data;
    cw_agreement = (cw_agreement_t){.heap_nbytes = sizes->heap,
                                    .area_nbytes = sizes->area,
                                    .data_nbytes = data->nbytes,
                                    .program = data->program,
                                    .version = WIRE_VERSION,
                                    .settings = cw_agreement_settings(),
                                    .route = cw_agreement.route};
    cwt_layout_t *l = &s->layout;
    l->nslots = (uint32_t)cw_world.nslots;
    uint64_t slots_nbytes = (uint64_t)cw_world.max_slots * sizeof(cw_slot_t);
    l->control_nbytes = place(sections, CW_SECTION_CONTROL, sizeof(cw_control_t) + slots_nbytes);
    bool low = data->nbytes && data->fixed && data->start < HOLE;
    s->before = low ? round_up(data->start, COMMON) : 0;
    l->slice_offset = round_up(l->control_nbytes, COMMON) + s->before;
    l->data_nbytes = data->nbytes;
    l->heap_offset = data->nbytes ? round_up(data->nbytes, COMMON) + HOLE : 0;
    l->heap_nbytes = sizes->heap + CW_COLL_SCRATCH + cw_area_nbytes();
    l->chunk_shift = CW_CHUNK_SHIFT_MIN;
    uint32_t chunks = sizes->sparse ? CW_CHUNKS_MAX_SPARSE : CW_CHUNKS_MAX;
    while ((l->data_nbytes + l->heap_nbytes) >> l->chunk_shift >= chunks)
        l->chunk_shift++;
    uint64_t end = place(sections, CW_SECTION_SLICE, l->heap_offset + l->heap_nbytes);
    l->slice_stride = round_up(end, COMMON) + s->before;
    s->nbytes = l->slice_offset + (uint64_t)cw_world.nslots * l->slice_stride;
}

/** The first PE sizes and seals the file: cutting it would be a bus error in all PEs. The size
 *  modulo COMMON is the front, that PE's misalignment of static data, for large pages. */
static int size_object(int fd)
{
    struct stat st;
    uint64_t front = cw_segment.data.nbytes ? cw_segment.data.start % COMMON : 0;
    if (fstat(fd, &st) ||
        // EPERM: another PE has sized it meanwhile; agree() reports a difference
        (st.st_size == 0 && ftruncate(fd, (off_t)(cw_segment.nbytes + front)) && errno != EPERM))
        return CW_ESYS;
    // Asked first: a PE that seals holds the lock of the file, and the others wait (copy_pages()).
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    if ((fcntl(fd, F_GET_SEALS) & seals) != seals)
        fcntl(fd, F_ADD_SEALS, seals);
    if (fstat(fd, &st))
        return CW_ESYS;
    cw_segment.front = (uint64_t)st.st_size % COMMON;
    return CW_OK;
}

static void report_addresses(const char *what, uint64_t nbytes)
{
    const double gib = 1 << 30;
    uint64_t limit = cwu_address_limit();
    if (limit == UINT64_MAX)
        cwu_error("cannot map the %s (%.2f GiB of addresses): %s", what, (double)nbytes / gib,
                  strerror(errno));
    else
        cwu_error("cannot map the %s (%.2f GiB of addresses): %s; the limit of a process is %.2f "
                  "GiB: raise it (ulimit -v), set a smaller %s or start fewer PEs",
                  what, (double)nbytes / gib, strerror(errno), (double)limit / gib,
                  CWU_ENV_NAME(symmetric_size));
}

/** Part i of the used ranges: control, then static data and heap of each slot. Returns their
 *  number. */
static uint32_t part_of_object(uint32_t i, uint64_t *from_p, uint64_t *end_p)
{
    const cwt_layout_t *l = &cw_segment.layout;
    uint64_t slice = i ? cw_slice_offset((i - 1) / 2) : 0;
    bool upper = i && (i - 1) % 2;
    *from_p = slice + (upper ? l->heap_offset : 0);
    *end_p =
        slice + (upper ? l->slice_stride - cw_segment.before : round_up(l->data_nbytes, 65536));
    if (i == 0)
        *end_p = l->slice_offset - cw_segment.before;
    return 1 + 2 * l->nslots;
}

static void unmap_object(char *base, uint32_t nparts)
{
    uint64_t from, end;
    for (uint32_t i = 0; i < nparts; i++) {
        part_of_object(i, &from, &end);
        if (from < end)
            munmap(base + from, end - from);
    }
}

/** Maps the parts without holes, which a limit on addresses counts. The caller chooses the place,
 *  since parts keep their distances. MAP_FAILED: taken, or limit reached. */
static void *map_parts(int fd, char *base)
{
    uint64_t from, end;
    uint32_t nparts = part_of_object(0, &from, &end);
    for (uint32_t i = 0; i < nparts; i++) {
        part_of_object(i, &from, &end);
        void *at = from == end ? base + from
                               : cwu_pages_map(base + from, end - from, PROT_READ | PROT_WRITE,
                                               MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd,
                                               cw_segment.front + from);
        if (at == base + from)
            continue;
        if (at != MAP_FAILED)
            munmap(at, end - from);  // Linux before 4.17 takes the address as a hint
        unmap_object(base, i);
        return MAP_FAILED;
    }
    return base;
}

/** A free range that begins `front` behind a multiple of COMMON; NULL: none. */
static void *aligned_place(size_t nbytes, uint64_t front)
{
    char *at = cwu_pages_map(NULL, nbytes + 2 * COMMON, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    munmap(at, nbytes + 2 * COMMON);
    return (void *)(round_up((uintptr_t)at, COMMON) + front);
}

static void *map_all(int fd)
{
    enum { PLACES = 4 };
    cw_segment_t *s = &cw_segment;
    void *at = MAP_FAILED;
    s->in_parts = false;
    for (uintptr_t i = 0; cwu_address_limit() != UINT64_MAX && i < PLACES && !s->in_parts; i++) {
        at = map_parts(fd, (char *)(PLACE + s->front + i * (PLACE / 8)));
        s->in_parts = at != MAP_FAILED;
    }
    if (s->in_parts)
        return at;
    const int prot = PROT_READ | PROT_WRITE, flags = MAP_SHARED | MAP_NORESERVE;
    at = cwu_pages_map((void *)(PLACE + s->front), s->nbytes, prot, flags, fd, s->front);  // a hint
    if (at == MAP_FAILED || (uintptr_t)at % COMMON == s->front)
        return at;
    munmap(at, s->nbytes);
    return cwu_pages_map(aligned_place(s->nbytes, s->front), s->nbytes, prot, flags, fd, s->front);
}

/** offset: in the object. */
static int map_at(uintptr_t where, size_t nbytes, int fd, uint64_t offset, int flags,
                  const char *what)
{
    offset += cw_segment.front;
    const int prot = PROT_READ | PROT_WRITE, all = MAP_SHARED | MAP_NORESERVE | flags;
    // static data, which replaces a mapping, stays locked as the program has asked
    void *at = flags & MAP_FIXED ? mmap((void *)where, nbytes, prot, all, fd, (off_t)offset)
                                 : cwu_pages_map((void *)where, nbytes, prot, all, fd, offset);
    if (at == MAP_FAILED && errno == ENOMEM) {
        report_addresses(what, nbytes);
        return CW_ENOMEM;
    }
    if (at != (void *)where) {
        if (at != MAP_FAILED)
            munmap(at, nbytes);
        cwu_error("cannot place the %s at %#lx: %s; build the program as a position independent "
                  "executable (-pie)",
                  what, (unsigned long)where, strerror(at == MAP_FAILED ? errno : EEXIST));
        return CW_ENOMEM;
    }
    return CW_OK;
}

/** Without static data the heap may lie anywhere; its second view is for one address on all PEs. */
static void place_heap(int fd, uint64_t slice, size_t nbytes)
{
    cw_segment_t *s = &cw_segment;
    if (cw_agreement.area_nbytes)
        return;
    void *at =
        cwu_pages_map((void *)HEAP_PLACE, nbytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, s->front + slice);
    if (at == (void *)HEAP_PLACE) {
        s->heap = at;
        s->own_view = true;
        return;
    }
    if (at != MAP_FAILED)
        munmap(at, nbytes);
    cwu_debug("the symmetric heap is at another address on each PE: %#lx is taken",
              (unsigned long)HEAP_PLACE);
}

/** Of the second view: heap, areas and sections. */
static uint64_t heap_view_nbytes(void)
{
    const cwt_layout_t *l = &cw_segment.layout;
    return l->slice_stride - cw_segment.before - l->heap_offset;
}

/** Before other mappings, because it has one place only, which valgrind would give away. */
static int map_own_heap(int fd)
{
    cw_segment_t *s = &cw_segment;
    const cw_static_data_t *data = &s->data;
    const uint64_t offset = s->layout.heap_offset, nbytes = heap_view_nbytes(),
                   slice = cw_slice_offset((uint32_t)cw_world.slot);
    if (data->nbytes == 0) {
        place_heap(fd, slice, nbytes);
    } else {
        s->heap = (char *)data->start + offset;
        int rc = map_at((uintptr_t)s->heap, nbytes, fd, slice + offset, MAP_FIXED_NOREPLACE,
                        "symmetric heap");
        if (rc)
            return rc;
        s->own_view = true;
    }
    cw_one_address_is(s->own_view ? (uintptr_t)s->heap - offset : 0);
    if (s->own_view)
        cwu_pages_dump(s->heap, nbytes, false);
    return CW_OK;
}

static int map_object(int fd)
{
    cw_segment_t *s = &cw_segment;
    if (s->nbytes + COMMON > cwu_file_limit()) {
        cwu_error("the node's shared memory has %.2f GiB of addresses, and the limit on the size "
                  "of files (ulimit -f), which holds for it, too, is %.2f GiB: raise it",
                  (double)s->nbytes / (1 << 30), (double)cwu_file_limit() / (1 << 30));
        return CW_ENOMEM;
    }
    if (size_object(fd)) {
        cwu_error("cannot size the node's shared memory object to %.2f GiB: %s",
                  (double)s->nbytes / (1 << 30), strerror(errno));
        return CW_ESYS;
    }
    int rc = map_own_heap(fd);
    if (rc)
        return rc;
    void *at = map_all(fd);
    if (at == MAP_FAILED) {
        report_addresses("node's shared memory", s->nbytes);
        return CW_ENOMEM;
    }
    cwu_pages_dump(at, s->nbytes, false);  // a core file of all PEs, and of holes
    if (cw_large_is("off")) {              // also where the system makes all pages large
        cwu_pages_may_be_large(at, s->nbytes, false);
        if (s->own_view)
            cwu_pages_may_be_large(s->heap, heap_view_nbytes(), false);
    }
    s->base = at;
    s->control = at;
    s->slots = (cw_slot_t *)(s->base + sizeof(cw_control_t));
    return CW_OK;
}

/** The first PE writes what all must agree on; the others compare. */
static int agree(void)
{
    cw_segment_t *s = &cw_segment;
    cw_control_t *c = s->control;
    uint32_t fresh = 0;
    if (atomic_compare_exchange_strong(&c->state, &fresh, 1)) {
        c->magic = CW_CONTROL_MAGIC;
        c->agreement = cw_agreement;
        c->layout = s->layout;
        c->origin_page = cw_one_address_page();
        atomic_store_explicit(&c->state, 2, memory_order_release);  // pairs with the loads below
        cwu_futex_wake((uint32_t *)&c->state, INT_MAX);
        return CW_OK;
    }
    while ((fresh = atomic_load_explicit(&c->state, memory_order_acquire)) != 2)
        cwu_futex_wait((uint32_t *)&c->state, fresh, CWU_WAIT_NS(SAFEGUARD));
    cw_one_address_compare(c->origin_page, "another PE of this node");
    return cw_agreement_check(&c->agreement, "another PE of this node");
}

#define PAGE_WORDS 512  // the unit of skipping; divides any page

static CW_NO_SANITIZE CW_NOINLINE bool is_zero(const volatile uint64_t *page)
{
    uint64_t any = 0;
    for (size_t i = 0; i < PAGE_WORDS && !any; i++)
        any = page[i];
    return !any;
}

// A loop: the interceptors of sanitizers refuse the guards between variables.
static CW_NO_SANITIZE CW_NOINLINE void copy_words(volatile uint64_t *to,
                                                  const volatile uint64_t *from, size_t words)
{
    for (size_t i = 0; i < words; i++)
        to[i] = from[i];
}

static int copy_run(volatile uint64_t *to, const volatile uint64_t *from, size_t words)
{
    if (cwu_pages_back((const void *)(uintptr_t)to, 8 * words, true)) {
        cwu_error("cannot copy %zu bytes of static data into the node's shared memory: %s",
                  8 * words, strerror(ENOMEM));
        return CW_ENOMEM;
    }
    copy_words(to, from, words);
    return CW_OK;
}

/** Copies static data without pages of zeros, so that an untouched .bss costs no memory. By the
 *  view of the whole object, with memory behind it first: full memory is an error, no signal. Not
 *  by write(), which holds the lock of the file: where PEs share processors, all that start waited
 *  for the one that was interrupted there. */
static int copy_pages(void *arg, const void *at, size_t nbytes)
{
    const uintptr_t *delta = arg;  // to the view
    const volatile uint64_t *from = at;
    size_t words = nbytes / 8;
    for (size_t i = 0, end; i < words; i = end) {
        end = i + PAGE_WORDS;
        if (is_zero(from + i))
            continue;
        while (end < words && !is_zero(from + end))
            end += PAGE_WORDS;
        int rc = copy_run((volatile uint64_t *)((uintptr_t)(from + i) + *delta), from + i, end - i);
        if (rc)
            return rc;
    }
    return CW_OK;
}

static int copy_part(const cw_data_part_t *part, uint64_t offset, bool moved)
{
    uintptr_t delta = (uintptr_t)cw_segment.base + offset - part->start;
    int rc = copy_pages(&delta, (const void *)part->start, part->file_nbytes);
    return rc ? rc
              : cwu_pages_touched((const char *)part->start + part->file_nbytes,
                                  part->nbytes - part->file_nbytes, moved, copy_pages, &delta);
}

static int move_part(int fd, const cw_data_part_t *part, bool moved)
{
    uint64_t offset =
        cw_slice_offset((uint32_t)cw_world.slot) + (part->start - cw_segment.data.start);
    // Until the mmap returns nothing may write to static data: no other thread, no call that could.
    int rc = copy_part(part, offset, moved);
    return rc ? rc : map_at(part->start, part->nbytes, fd, offset, MAP_FIXED, "static data");
}

/** Moves static data into my slice, mapped where the program expects it. */
static int map_own_view(int fd)
{
    static bool moved;  // so the pages are those of an earlier object
    cw_segment_t *s = &cw_segment;
    uint64_t slice = cw_slice_offset((uint32_t)cw_world.slot);
    if (s->data.nbytes == 0) {
        if (!s->own_view)
            s->heap = s->base + slice + s->layout.heap_offset;
        s->origin = s->own_view ? (uintptr_t)s->heap : (uintptr_t)s->base + slice;
        return CW_OK;
    }
    s->origin = s->data.start;
    const bool again = moved;
    moved = true;  // now: it may be static data itself
    int rc = CW_OK;
    for (uint32_t i = 0; i < s->data.nparts && rc == CW_OK; i++)
        rc = move_part(fd, &s->data.part[i], again);
    return rc;
}

/** Closes what lies between the parts of static data, for example constants. */
static void close_gaps(char *slice)
{
    const cw_static_data_t *d = &cw_segment.data;
    for (uint32_t i = 1; i < d->nparts; i++) {
        uintptr_t from = d->part[i - 1].start + d->part[i - 1].nbytes;
        if (from < d->part[i].start)
            mprotect(slice + (from - d->start), d->part[i].start - from, PROT_NONE);
    }
}

/** Closes the holes in views of peers, where a put to memory of malloc must not seem to work, nor,
 *  in a program at low addresses, one to NULL or a function; but not for the node server nor for
 *  many PEs (docs/design/node-object.md). */
static void close_holes(void)
{
    const cw_segment_t *s = &cw_segment;
    const uint64_t hole = s->layout.data_nbytes;  // whole pages; brk may begin behind them
    if (!s->own_view || s->in_parts || (cw_world.nnodes > 1 && cw_world.slot == 0) ||
        cw_world.nslots > HOLES_MOST)
        return;
    for (int slot = 0; slot < cw_world.nslots; slot++) {
        char *slice = s->base + cw_slice_offset((uint32_t)slot);
        mprotect(slice + hole, s->layout.heap_offset - hole, PROT_NONE);
        if (s->before)
            mprotect(slice - s->data.start, s->data.start, PROT_NONE);
        if ((uint32_t)cw_world.nslots * s->data.nparts <= HOLES_MOST)
            close_gaps(slice);  // one more piece of the view, like the hole
    }
}

int cw_segment_init(cwb_t *boot, cw_section_t *const sections[])
{
    cw_sizes_t sizes;
    int rc = cw_static_data_find(&cw_segment.data);
    if (rc || (rc = cw_sizes_choose(boot, cw_segment.data.nbytes, &sizes)))
        return rc;
    shape(&sizes, sections);
    int *fd = &cw_segment.fd;
    if ((rc = cw_share_fd(boot, fd)) || (rc = map_object(*fd)) || (rc = agree()))
        return rc;
    cw_slot_t *me = &cw_segment.slots[cw_world.slot];
    me->pid_namespace = boot->pid_namespace ? boot->pid_namespace : cwu_pid_namespace();
    // release: with the namespace
    atomic_store_explicit(&me->pid, (int32_t)getpid(), memory_order_release);
    if ((rc = map_own_view(*fd)))
        return rc;
    close_holes();
    cw_backing_reset();
    return cw_heap_init(cw_segment.heap + CW_COLL_SCRATCH, sizes.heap);
}

void cw_segment_mapped(void)
{
    if (cw_segment.fd >= 0)
        close(cw_segment.fd);
    cw_segment.fd = -1;
}

void cw_segment_depart(void)
{
    if (cw_segment.base && cw_segment.slots)
        atomic_store_explicit(&cw_segment.slots[cw_world.slot].pid, 0, memory_order_relaxed);
}

bool cw_segment_stays;

/** Static data stays mapped, and in use. */
static void unmap_all(const cw_segment_t *s)
{
    if (s->own_view)
        munmap(s->heap, heap_view_nbytes());
    if (s->base && s->in_parts)
        unmap_object(s->base, 1 + 2 * s->layout.nslots);
    else if (s->base)
        munmap(s->base, s->nbytes);
}

void cw_segment_fini(void)
{
    cw_segment_t *s = &cw_segment;
    cw_heap_fini();
    if (!cw_segment_stays)
        unmap_all(s);
    cw_segment_mapped();
    s->base = NULL;
    s->heap = NULL;
    s->slots = NULL;
    s->own_view = false;
}

static bool is_static_data(uintptr_t at, size_t nbytes)
{
    const cw_static_data_t *d = &cw_segment.data;
    for (uint32_t i = 0; i < d->nparts; i++)
        if (at - d->part[i].start < d->part[i].nbytes)
            return nbytes <= d->part[i].nbytes - (at - d->part[i].start);
    return false;
}

const cw_foreign_t *cw_foreign;

bool cw_is_symmetric(const void *addr, size_t nbytes)
{
    const cwt_layout_t *l = &cw_segment.layout;
    uint64_t at = (uintptr_t)addr - cw_segment.origin;
    if (at < l->data_nbytes)
        return is_static_data((uintptr_t)addr, nbytes);
    at -= l->heap_offset;
    return at >= CW_COLL_SCRATCH && at < l->heap_nbytes && nbytes <= l->heap_nbytes - at;
}

int cw_pid_of(int pe)
{
    if (cw_world.node_of_pe[pe] != cw_world.node || !cw_segment.slots)
        return 0;
    return atomic_load_explicit(&cw_segment.slots[cw_world.slot_of_pe[pe]].pid,
                                memory_order_relaxed);
}
