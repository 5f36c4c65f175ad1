// SPDX-License-Identifier: BSD-3-Clause
//
// A device in the place of CUDA's driver (build.py), or two: the same for all PEs of a run. Its
// memory is a file that the driver of the run has made, so that copies of processes have it, too;
// processors load and store it, which is what lets threads of a scene be kernels. What a vendor's
// table says of itself is done at once, without points at which other threads run; copies and
// atomics are seen by the memory model.
//
// With SIM_DEVICE_KEEPS in a scene's variables no memory is lent to another process by a handle;
// with SIM_DEVICES=2 there are two devices, which reach each other's memory unless
// SIM_DEVICES_APART is set. A copy by one that does not reach its memory is a finding.
//
// Memory is freed when the last process that has it lets it go, if it was exported by a
// descriptor; if it is lent by a handle, by its owner: while others have it, that is a finding.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "core/device/vendor.h"
#include "device.h"
#include "sim.h"

#define AT_ONCE __attribute__((no_sanitize("thread")))
#define NO_REPLACE 0x100000  // MAP_FIXED_NOREPLACE

enum { UNIT = 65536, UNITS = 256, SPANS = 64 };

/** The first bytes of the memory: what all processes know of its units. */
typedef struct pool {
    struct {
        uint16_t units;   // of the allocation that begins here; 0: none
        uint16_t users;   // processes that have it
        uint16_t device;  // whose it is
    } at[UNITS];
} pool_t;

/** What this process has mapped. */
typedef struct span {
    char *at;
    size_t nbytes;
    unsigned unit;
    bool allocated;  // at an address that the device chose
} span_t;

static pool_t *pool;
static span_t spans[SPANS];
static int nspans;

// ---------------------------------------------------------------- memory
/** 0: there is none. */
AT_ONCE static unsigned take_units(int device, size_t nbytes)
{
    const unsigned n = (unsigned)((nbytes + UNIT - 1) / UNIT);
    for (unsigned from = 1, i = 1; i < UNITS; i++) {
        if (pool->at[i].units) {
            i += pool->at[i].units - 1u;
            from = i + 1;
        } else if (i + 1 - from == n) {
            pool->at[from].units = (uint16_t)n;
            pool->at[from].users = 1;
            pool->at[from].device = (uint16_t)device;
            return from;
        }
    }
    return 0;
}

AT_ONCE static void drop_units(unsigned unit)
{
    if (--pool->at[unit].users == 0)
        pool->at[unit].units = 0;
}

AT_ONCE static bool add_span(void *at, size_t nbytes, unsigned unit, bool allocated)
{
    if (at == MAP_FAILED || nspans == SPANS)
        return false;
    spans[nspans++] = (span_t){at, nbytes, unit, allocated};
    return true;
}

AT_ONCE static span_t *span_of(const void *addr)
{
    for (int i = 0; i < nspans; i++)
        if ((uintptr_t)addr - (uintptr_t)spans[i].at < spans[i].nbytes)
            return &spans[i];
    return NULL;
}

AT_ONCE static unsigned remove_span(void *at)
{
    span_t *s = span_of(at);
    unsigned unit = s->unit;
    *s = spans[--nspans];
    return unit;
}

/** wish: NULL, or an address that is reserved. */
AT_ONCE static void *map_unit(void *wish, size_t nbytes, unsigned unit)
{
    return mmap(wish, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | (wish ? MAP_FIXED : 0),
                sim_device_fd(), (off_t)unit * UNIT);
}

AT_ONCE static int failed(const char *what)
{
    cwu_error("the simulated device: %s", what);
    return CW_ENOMEM;
}

// ---------------------------------------------------------------- the table
AT_ONCE static int open_device(int *ndevices_p)
{
    if (!pool)
        pool = mmap(NULL, UNIT, PROT_READ | PROT_WRITE, MAP_SHARED, sim_device_fd(), 0);
    if (pool == MAP_FAILED) {
        pool = NULL;
        return failed("no table");
    }
    *ndevices_p = getenv("SIM_DEVICES") ? atoi(getenv("SIM_DEVICES")) : 1;
    return CW_OK;
}

AT_ONCE static bool is_loaded(void)
{
    return pool != NULL;
}

AT_ONCE static int facts(int device, cw_device_facts_t *facts_p)
{
    *facts_p = (cw_device_facts_t){
        .name = "simulated", .uuid = "a device here", .maps = true, .exports = true};
    facts_p->uuid[15] = (uint8_t)device;
    return CW_OK;
}

AT_ONCE static int reaches(int device, int other, bool *reaches_p)
{
    *reaches_p = device == other || !getenv("SIM_DEVICES_APART");
    return CW_OK;
}

AT_ONCE static int granule(int device, size_t *nbytes_p)
{
    (void)device;
    *nbytes_p = UNIT;
    return CW_OK;
}

AT_ONCE static int reserve(int device, uintptr_t at, size_t nbytes, uintptr_t *at_p)
{
    (void)device;
    void *got = mmap((void *)at, nbytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | NO_REPLACE, -1, 0);
    *at_p = (uintptr_t)got;
    return got == MAP_FAILED ? failed("no addresses") : CW_OK;
}

AT_ONCE static void unreserve(int device, uintptr_t at, size_t nbytes)
{
    (void)device;
    munmap((void *)at, nbytes);
}

AT_ONCE static int create(int device, size_t nbytes, uint64_t *memory_p)
{
    *memory_p = take_units(device, nbytes);
    return *memory_p ? CW_OK : failed("no memory");
}

/** The memory is the file from the descriptor's position on. */
AT_ONCE static int give(int device, uint64_t memory, int *fd_p)
{
    char path[32];
    (void)device;
    snprintf(path, sizeof path, "/proc/self/fd/%d", sim_device_fd());
    *fd_p = open(path, O_RDWR | O_CLOEXEC);
    if (*fd_p < 0 || lseek(*fd_p, (off_t)memory, SEEK_SET) != (off_t)memory)
        return failed("no descriptor");
    return CW_OK;
}

AT_ONCE static int take(int device, int fd, uint64_t *memory_p)
{
    (void)device;
    *memory_p = (uint64_t)lseek(fd, 0, SEEK_CUR);
    pool->at[*memory_p].users++;
    return CW_OK;
}

AT_ONCE static int map(int device, uintptr_t at, size_t nbytes, uint64_t memory)
{
    (void)device;
    return add_span(map_unit((void *)at, nbytes, (unsigned)memory), nbytes, (unsigned)memory, false)
               ? CW_OK
               : failed("no mapping");
}

AT_ONCE static void unmap(int device, uintptr_t at, size_t nbytes)
{
    (void)device;
    (void)remove_span((void *)at);
    (void)mmap((void *)at, nbytes, PROT_NONE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

AT_ONCE static void release(int device, uint64_t memory)
{
    (void)device;
    drop_units((unsigned)memory);
}

AT_ONCE static int allocate(int device, size_t nbytes, void **at_p)
{
    unsigned unit = take_units(device, nbytes);
    *at_p = unit ? map_unit(NULL, nbytes, unit) : MAP_FAILED;
    return add_span(*at_p, nbytes, unit, true) ? CW_OK : failed("no memory");
}

AT_ONCE static void deallocate(int device, void *at)
{
    span_t *s = span_of(at);
    (void)device;
    SIM_CHECK(s && s->allocated && s->at == at, "%p is no allocation of the device", at);
    SIM_CHECK(pool->at[s->unit].users == 1,
              "memory of a device is freed that %d other processes have mapped",
              pool->at[s->unit].users - 1);
    munmap(at, s->nbytes);
    drop_units(remove_span(at));
}

AT_ONCE static bool extent(int device, const void *addr, void **at_p, size_t *nbytes_p)
{
    const span_t *s = span_of(addr);
    (void)device;
    if (s) {
        *at_p = s->at;
        *nbytes_p = s->nbytes;
    }
    return s != NULL;
}

AT_ONCE static bool lend(int device, void *at, uint8_t *handle)
{
    const span_t *s = span_of(at);
    (void)device;
    memset(handle, 0, CW_DEVICE_HANDLE);
    if (!s || !s->allocated || getenv("SIM_DEVICE_KEEPS"))
        return false;
    memcpy(handle, &s->unit, sizeof s->unit);
    memcpy(handle + 8, &s->nbytes, sizeof s->nbytes);
    return true;
}

AT_ONCE static bool borrow(int device, const uint8_t *handle, void **at_p)
{
    unsigned unit;
    size_t nbytes;
    (void)device;
    memcpy(&unit, handle, sizeof unit);
    memcpy(&nbytes, handle + 8, sizeof nbytes);
    SIM_CHECK(unit > 0 && unit < UNITS && pool->at[unit].units,
              "a handle of memory that is not there (%u)", unit);
    for (int i = 0; i < nspans; i++)
        SIM_CHECK(spans[i].unit != unit, "memory of unit %u is mapped twice", unit);
    *at_p = map_unit(NULL, nbytes, unit);
    if (!add_span(*at_p, nbytes, unit, false))
        return false;
    pool->at[unit].users++;
    return true;
}

AT_ONCE static void give_back(int device, void *at)
{
    span_t *s = span_of(at);
    (void)device;
    SIM_CHECK(s && !s->allocated && s->at == at, "%p was not lent", at);
    munmap(at, s->nbytes);
    drop_units(remove_span(at));
}

// ---------------------------------------------------------------- copies and kernels
AT_ONCE static void must_reach(int device, const void *addr)
{
    const span_t *s = span_of(addr);
    bool reached = true;
    if (s)
        (void)reaches(device, pool->at[s->unit].device, &reached);
    SIM_CHECK(reached, "device %d copies memory of device %d", device, pool->at[s->unit].device);
}

static int copy(int device, void *dest, const void *src, size_t nbytes)
{
    must_reach(device, dest);
    must_reach(device, src);
    memmove(dest, src, nbytes);
    return CW_OK;
}

static int copy_rows(int device, const cw_device_rows_t *r)
{
    for (size_t i = 0; i < r->n; i++)
        (void)copy(device, (char *)r->dest + i * r->dest_stride,
                   (const char *)r->src + i * r->src_stride, r->nbytes);
    return CW_OK;
}

static int fill(int device, void *dest, uint8_t value, size_t nbytes)
{
    (void)device;
    memset(dest, value, nbytes);
    return CW_OK;
}

AT_ONCE static int atomics(int device, int other, bool *exact_p)
{
    *exact_p = device == other;
    return CW_OK;
}

AT_ONCE static int enlist(int device, void *at, size_t nbytes)
{
    (void)device;
    (void)at;
    (void)nbytes;
    return CW_OK;
}

AT_ONCE static void delist(int device, void *at)
{
    (void)device;
    (void)at;
}

AT_ONCE static int prepare(int device)
{
    (void)device;
    return CW_OK;
}

static int atomic(int device, const cw_device_atomic_t *a, uint64_t *cell)
{
    (void)device;
    uint64_t old = cwd_atom(a->at, (int)a->op, a->nbytes, a->operand, a->compare);
    cwd_store_rel64(cell, old);
    return CW_OK;
}

AT_ONCE static int owner(int device, const void *addr)
{
    (void)device;
    const span_t *s = span_of(addr);
    return s ? pool->at[s->unit].device : -1;
}

const cw_device_vendor_t cw_device_cuda = {.name = "simulated",
                                           .open = open_device,
                                           .is_loaded = is_loaded,
                                           .facts = facts,
                                           .reaches = reaches,
                                           .granule = granule,
                                           .reserve = reserve,
                                           .unreserve = unreserve,
                                           .create = create,
                                           .give = give,
                                           .take = take,
                                           .map = map,
                                           .unmap = unmap,
                                           .release = release,
                                           .allocate = allocate,
                                           .deallocate = deallocate,
                                           .extent = extent,
                                           .lend = lend,
                                           .borrow = borrow,
                                           .give_back = give_back,
                                           .copy = copy,
                                           .copy_rows = copy_rows,
                                           .fill = fill,
                                           .atomics = atomics,
                                           .enlist = enlist,
                                           .delist = delist,
                                           .prepare = prepare,
                                           .atomic = atomic,
                                           .owner = owner};

// ---------------------------------------------------------------- for scenes
AT_ONCE void *sim_device_alloc_on(int device, size_t nbytes)
{
    int n;
    void *at = NULL;
    return open_device(&n) == CW_OK && allocate(device, nbytes, &at) == CW_OK ? at : NULL;
}

void *sim_device_alloc(size_t nbytes)
{
    return sim_device_alloc_on(0, nbytes);
}

AT_ONCE void sim_device_free(void *at)
{
    deallocate(0, at);
}
