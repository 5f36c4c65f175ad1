// SPDX-License-Identifier: BSD-3-Clause
//
// Windows, and the pages of those of other nodes.
//
// What an access has written is found by comparing. A function that only writes needs nothing of
// the other image: it runs on pages of zeros and again on pages of ones, and what is the same then
// is what it has written. One that reads, too, runs on fetched pages, of which a copy is kept.
// No other image may define what this one accesses in the segment, so a byte that has its value
// already need not be put.
#include "caf/window.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "caf/transfer.h"
#include "core/mem/area.h"
#include "core/observe/check.h"

// Behind the place of the node object (core/mem/segment.c), below where kernels put programs
#define WINDOWS_BEGIN ((uintptr_t)64 << 40)
#define WINDOWS_END ((uintptr_t)84 << 40)
#define UNIT ((size_t)2 << 20)
enum { READ_AHEAD_MOST = 1 << 20 };  // bytes

caf_windows_t caf_windows;
static bool wanted;

void caf_window_want(void)
{
    if (caf.group && !caf_windows.nbytes)
        cwu_fatal("parts of the program were compiled by gfortran 15 or later, and others by an "
                  "earlier version: compile all by one");
    wanted = true;
}

/** The memory of a PE of this node, once more. */
static void show(int pe, char *area)
{
    void *window = caf_window_at(pe, area);
    void *free_place =
        mmap(window, caf_windows.nbytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (free_place != window || mremap(cw_area_early(area, pe), 0, caf_windows.nbytes,
                                       MREMAP_MAYMOVE | MREMAP_FIXED, window) != window)
        cwu_fatal("cannot map the coarrays of image %d at %p: %s", pe + 1, window,
                  free_place != MAP_FAILED && free_place != window ? "the place is taken"
                                                                   : strerror(errno));
}

size_t caf_window_open(char *area, size_t nbytes)
{
    const size_t most = (WINDOWS_END - WINDOWS_BEGIN) / (size_t)cw_world.npes / UNIT * UNIT;
    if (!wanted)
        return nbytes;
    caf_windows.nbytes = nbytes < most ? nbytes : most;
    caf_windows.base = WINDOWS_BEGIN;
    caf_windows.area = (uintptr_t)area;
    for (int pe = 0; pe < cw_world.npes; pe++)
        if (caf_window_is_here(pe))
            show(pe, area);
    return caf_windows.nbytes;
}

void caf_window_close(void)
{
    for (int pe = 0; caf_windows.nbytes && pe < cw_world.npes; pe++)
        if (caf_window_is_here(pe))
            munmap(caf_window_at(pe, (void *)caf_windows.area), caf_windows.nbytes);
    caf_windows.nbytes = 0;
}

// ---------------------------------------------------------------- pages that an access touches
typedef enum kind { READS, READS_AND_WRITES, ONLY_WRITES } kind_t;

/** Pages behind each other that have been brought. */
typedef struct pages {
    char *at, *copy;  // copy: as they were fetched, or after the first run; else NULL
    size_t nbytes, copied;
} pages_t;

static struct {
    volatile sig_atomic_t active;
    kind_t kind;
    pages_t *all;
    size_t n, room;
    struct sigaction before;  // what handles other faults
    bool handles;
} access_now;

static char *grown(char *memory, size_t nbytes)
{
    char *more = realloc(memory, nbytes);
    if (!more)
        cwu_fatal("out of memory for %zu bytes of another image", nbytes);
    return more;
}

/** Those that end there, or new ones. */
static pages_t *find_pages(char *page)
{
    for (size_t i = 0; i < access_now.n; i++)
        if (access_now.all[i].at + access_now.all[i].nbytes == page)
            return &access_now.all[i];
    if (access_now.n == access_now.room) {
        access_now.room = access_now.room * 2 + 8;
        access_now.all = (pages_t *)(void *)grown((char *)access_now.all,
                                                  access_now.room * sizeof *access_now.all);
    }
    access_now.all[access_now.n] = (pages_t){.at = page};
    return &access_now.all[access_now.n++];
}

/** An access in one direction brings as much again each time, but nothing that is there. */
static size_t read_ahead(const pages_t *pages, const char *page, size_t page_nbytes)
{
    size_t most = pages->nbytes < READ_AHEAD_MOST ? pages->nbytes : READ_AHEAD_MOST;
    const size_t left =
        caf_windows.nbytes - ((uintptr_t)page - caf_windows.base) % caf_windows.nbytes;
    most = most < page_nbytes ? page_nbytes : most;
    most = most < left ? most : left;
    for (size_t i = 0; i < access_now.n; i++)
        if (access_now.all[i].at > page && access_now.all[i].at < page + most)
            most = (size_t)(access_now.all[i].at - page);
    return most;
}

/** False: the fault is none of an access. */
static bool bring(const void *addr)
{
    const size_t page_nbytes = (size_t)sysconf(_SC_PAGESIZE);
    int pe;
    void *symmetric;
    char *page = (char *)((uintptr_t)addr / page_nbytes * page_nbytes);
    if (!access_now.active || !caf_window_find(page, &pe, &symmetric) || caf_window_is_here(pe))
        return false;
    pages_t *pages = find_pages(page);
    const size_t nbytes = read_ahead(pages, page, page_nbytes);
    if (mmap(page, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
             0) != page)
        cwu_fatal("cannot map %zu bytes of image %d: %s", nbytes, pe + 1, strerror(errno));
    if (access_now.kind != ONLY_WRITES) {
        cw_check_own_handler(true);
        caf_get(page, symmetric, nbytes, pe);
        cw_check_own_handler(false);
    }
    pages->nbytes += nbytes;
    if (access_now.kind == READS_AND_WRITES) {
        pages->copy = grown(pages->copy, pages->nbytes);
        memcpy(pages->copy + pages->nbytes - nbytes, page, nbytes);
        pages->copied = pages->nbytes;
    }
    return true;
}

static void on_fault(int signal_number, siginfo_t *info, void *context)
{
    const int saved = errno;
    const struct sigaction *before = &access_now.before;
    if (bring(info->si_addr))
        errno = saved;
    else if (before->sa_flags & SA_SIGINFO)
        before->sa_sigaction(signal_number, info, context);
    else if (before->sa_handler == SIG_DFL || before->sa_handler == SIG_IGN)
        signal(signal_number, SIG_DFL);  // the instruction faults again
    else
        before->sa_handler(signal_number);
}

/** Not before the first access: the compiler's library has set its handler by then. */
static void begin(kind_t kind)
{
    const struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    if (!access_now.handles && sigaction(SIGSEGV, &action, &access_now.before))
        cwu_fatal("cannot handle faults: %s", strerror(errno));
    access_now.handles = true;
    access_now.kind = kind;
    access_now.n = 0;
    access_now.active = 1;
}

static void end(void)
{
    access_now.active = 0;
    for (size_t i = 0; i < access_now.n; i++) {
        munmap(access_now.all[i].at, access_now.all[i].nbytes);
        free(access_now.all[i].copy);
    }
    access_now.n = 0;
}

// ---------------------------------------------------------------- what was written
/** Puts the bytes of `from` in which it is the same as `other`, or differs. */
static void put_where(int pe, char *symmetric, const char *from, const char *other, size_t nbytes,
                      bool same)
{
    for (size_t i = 0; i < nbytes;) {
        size_t n = 0;
        while (i + n < nbytes && (from[i + n] == other[i + n]) == same)
            n++;
        if (n)
            caf_put(symmetric + i, from + i, n, pe);
        i += n + 1;
    }
}

void caf_window_put_same(int pe, void *symmetric, const char *first, const char *second,
                         size_t nbytes)
{
    put_where(pe, symmetric, first, second, nbytes, true);
}

static void put_written(bool same)
{
    for (size_t i = 0; i < access_now.n; i++) {
        const pages_t *pages = &access_now.all[i];
        int pe;
        void *symmetric;
        if (caf_window_find(pages->at, &pe, &symmetric))
            put_where(pe, symmetric, pages->at, pages->copy, pages->copied, same);
    }
}

/** Between the two runs of a function that only writes. */
static void turn_pages(void)
{
    for (size_t i = 0; i < access_now.n; i++) {
        pages_t *pages = &access_now.all[i];
        pages->copy = grown(pages->copy, pages->nbytes);
        pages->copied = pages->nbytes;
        memcpy(pages->copy, pages->at, pages->nbytes);
        memset(pages->at, CAF_WINDOW_SECOND, pages->nbytes);
    }
}

void caf_window_read(caf_access_fn *fn, void *arg)
{
    begin(READS);
    fn(arg);
    end();
}

void caf_window_write(caf_access_fn *fn, void *arg, bool only_writes)
{
    begin(only_writes ? ONLY_WRITES : READS_AND_WRITES);
    fn(arg);
    if (only_writes) {
        turn_pages();
        fn(arg);
    }
    access_now.active = 0;
    put_written(only_writes);
    end();
}
