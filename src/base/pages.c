// SPDX-License-Identifier: BSD-3-Clause
//
// Memory behind pages: by madvise where the kernel can (5.14), else by an access to each page.
#include "base/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/error.h"
#include "base/machine.h"

// Linux 5.14; the headers may be older
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLLAPSE  // Linux 6.1
#define MADV_COLLAPSE 25
#endif

static uintptr_t page_nbytes(void)
{
    return (uintptr_t)sysconf(_SC_PAGESIZE);
}

/** Whole pages: from, and where they end. */
static void round_out(const void *at, size_t nbytes, uintptr_t *from_p, uintptr_t *end_p)
{
    uintptr_t page = page_nbytes();
    *from_p = (uintptr_t)at / page * page;
    *end_p = ((uintptr_t)at + nbytes + page - 1) / page * page;
}

static void touch(uintptr_t from, uintptr_t end, bool write)
{
    for (uintptr_t at = from; at < end; at += page_nbytes())
        if (write)  // as if it was not: others may store there
            __atomic_fetch_or((uint8_t *)at, 0, __ATOMIC_RELAXED);
        else
            (void)*(const volatile uint8_t *)at;
}

int cwu_pages_back(const void *at, size_t nbytes, bool write)
{
    uintptr_t from, end;
    if (nbytes == 0)
        return CW_OK;
    round_out(at, nbytes, &from, &end);
    int rc;
    do  // The bare call: libfabric patches the C library's madvise when it opens a domain, which a
        // thread inside of it does not survive.
        rc = (int)syscall(SYS_madvise, from, end - from,
                          write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
    while (rc && (errno == EINTR || errno == EAGAIN));
    if (rc == 0)
        return CW_OK;
    if (errno != EINVAL)  // an older kernel
        return CW_ENOMEM;
    touch(from, end, write);
    return CW_OK;
}

void cwu_pages_drop(void *at, size_t nbytes)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)at,
              end = (from + nbytes) & ~(page - 1);
    from = (from + page - 1) & ~(page - 1);
    if (end > from)
        syscall(SYS_madvise, from, end - from, MADV_REMOVE);  // the bare call, as above
}

void cwu_pages_dump(const void *at, size_t nbytes, bool wanted)
{
    uintptr_t from, end;
    round_out(at, nbytes, &from, &end);
    syscall(SYS_madvise, from, end - from, wanted ? MADV_DODUMP : MADV_DONTDUMP);
}

void cwu_pages_may_be_large(void *at, size_t nbytes, bool may)
{
    uintptr_t from, end;
    round_out(at, nbytes, &from, &end);
    syscall(SYS_madvise, from, end - from, may ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);  // the bare call
}

// A call takes no signal, not even SIGKILL, and some .05 s for a large page of a loaded machine.
#define COLLAPSE_NBYTES ((size_t)4 * CWU_PAGES_LARGE)

int cwu_pages_make_large(void *at, size_t nbytes)
{
    int rc = 0;
    // what has no page at all is not collapsed
    for (size_t i = 0; i < nbytes; i += CWU_PAGES_LARGE)
        __atomic_fetch_or((uint8_t *)at + i, 0, __ATOMIC_RELAXED);  // as touch() does
    for (size_t i = 0, n; i < nbytes; i += rc ? 0 : n) {
        n = nbytes - i < COLLAPSE_NBYTES ? nbytes - i : COLLAPSE_NBYTES;
        rc = (int)syscall(SYS_madvise, (char *)at + i, n, MADV_COLLAPSE);
        if (rc && errno != EINTR)
            break;
    }
    return rc == 0 ? CW_OK : errno == EINVAL ? CW_ENOTSUP : CW_ENOMEM;
}

/** Flags cannot say it, but what grows is locked only where it was before, whatever mlockall has
 *  said of mappings to come. */
static void *grow(void *at, size_t nbytes, int prot, int flags, int fd, uint64_t offset)
{
    size_t page = page_nbytes();
    void *first = mmap(at, page, prot, flags, fd, (off_t)offset);
    if (first == MAP_FAILED)
        return first;
    munlock(first, page);
    void *all = mremap(first, page, nbytes, first == at ? 0 : MREMAP_MAYMOVE);
    if (all == MAP_FAILED)
        munmap(first, page);
    return all;
}

void *cwu_pages_map(void *at, size_t nbytes, int prot, int flags, int fd, uint64_t offset)
{
    void *all = grow(at, nbytes, prot, flags, fd, offset);
    if (all != MAP_FAILED)
        return all;
    // under valgrind nothing grows where it is
    all = mmap(at, nbytes, prot, flags, fd, (off_t)offset);
    if (all != MAP_FAILED)
        munlock(all, nbytes);
    return all;
}

void *cwu_pages_zeros(size_t nbytes)
{
    const uintptr_t far = (uintptr_t)1 << 42, high = (uintptr_t)1 << 46, page = page_nbytes(),
                    program = getauxval(AT_PHDR) / page * page;
    if (cwu_address_limit() != UINT64_MAX)
        return NULL;
    // Behind the program lies its symmetric heap. The kernel keeps mappings away from there, unless
    // the program lies among them (-static-pie, near the stack), but valgrind takes the first gap.
    void *zeros = cwu_pages_map((void *)(program > high ? program - far : program + far), nbytes,
                                PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (zeros == MAP_FAILED)
        return NULL;
    cwu_pages_dump(zeros, nbytes, false);
    // mlockall(MCL_CURRENT) fills it: with large pages of zeros that is .07 s instead of 9
    syscall(SYS_madvise, zeros, nbytes, MADV_HUGEPAGE);
    return zeros;
}

void cwu_pages_unlock(void *zeros, size_t used, size_t nbytes)
{
    uintptr_t from, end, none;
    round_out(zeros, used, &none, &from);
    round_out(zeros, nbytes, &none, &end);
    munlock((void *)from, end - from);
    syscall(SYS_madvise, from, end - from, MADV_DONTNEED);  // the tables of the zeros
}

int cwu_pages_open(void *at, size_t nbytes)
{
    uintptr_t from, end;
    round_out(at, nbytes, &from, &end);
    return mprotect((void *)from, end - from, PROT_READ | PROT_WRITE) ? CW_ENOMEM : CW_OK;
}

void cwu_pages_free(void *zeros, size_t nbytes)
{
    munmap(zeros, nbytes);
}

void *cwu_pages_repeat(size_t nbytes, int fd, uint64_t offset, size_t chunk)
{
    char *all = mmap(NULL, nbytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED)
        return NULL;
    for (size_t at = 0; at < nbytes; at += chunk)
        if (mmap(all + at, nbytes - at < chunk ? nbytes - at : chunk, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, fd, (off_t)offset) == MAP_FAILED) {
            munmap(all, nbytes);
            return NULL;
        }
    return all;
}

static void fill(uintptr_t *words, size_t nbytes, uintptr_t word)
{
    for (size_t i = 0; i < nbytes / sizeof word; i++)
        words[i] = word;
}

/** Nothing that is repeated. */
static uintptr_t *filled(size_t nbytes, uintptr_t word)
{
    uintptr_t *all = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return NULL;
    fill(all, nbytes, word);
    return all;
}

uintptr_t *cwu_pages_pattern(size_t nbytes, uintptr_t word)
{
    enum { MAPPINGS_MOST = 32 };  // each costs some microseconds
    uintptr_t *all = NULL, page = page_nbytes();
    size_t chunk = page > 32768 ? page : 32768;
    while (nbytes / chunk > MAPPINGS_MOST)
        chunk *= 2;
    bool repeats = nbytes > chunk && cwu_file_limit() >= chunk;
    int fd = repeats ? memfd_create("causeway-words", MFD_CLOEXEC) : -1;
    if (fd >= 0 && ftruncate(fd, (off_t)chunk) == 0) {
        uintptr_t *one = mmap(NULL, chunk, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (one != MAP_FAILED) {
            fill(one, chunk, word);
            munmap(one, chunk);
            all = cwu_pages_repeat(nbytes, fd, 0, chunk);
        }
    }
    if (fd >= 0)
        close(fd);
    return all ? all : filled(nbytes, word);
}

static bool map_at(char *at, size_t nbytes)
{
    void *got = mmap(at, nbytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != MAP_FAILED && got != at)  // Linux before 4.17 takes the address for a wish
        munmap(got, nbytes);
    return got == at;
}

void *cwu_pages_apart(size_t nbytes, size_t from, size_t to)
{
    enum { TRIES = 16 };
    uintptr_t lower, upper, page = page_nbytes();
    size_t first = (nbytes + page - 1) / page * page;
    round_out((const void *)from, to - from, &lower, &upper);
    char *where = mmap(NULL, first, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *at = NULL;
    if (where == MAP_FAILED)
        return NULL;
    // below what the process has mapped so far
    for (uintptr_t i = 1; i <= TRIES && !at && (uintptr_t)where > i * upper; i++) {
        at = where - i * upper;
        if (!map_at(at, first)) {
            at = NULL;
        } else if (!map_at(at + lower, upper - lower)) {
            munmap(at, first);
            at = NULL;
        }
    }
    munmap(where, first);
    return at;
}

void cwu_pages_apart_free(void *at, size_t nbytes, size_t from, size_t to)
{
    uintptr_t lower, upper;
    munmap(at, nbytes);
    round_out((char *)at + from, to - from, &lower, &upper);
    munmap((void *)lower, upper - lower);
}

uint64_t cwu_pages_missing(const void *at, size_t nbytes)
{
    enum { STEP = 4096 };
    unsigned char resident[STEP];
    uintptr_t from, end, page = page_nbytes();
    uint64_t missing = 0;
    round_out(at, nbytes, &from, &end);
    for (; from < end; from += STEP * page) {
        size_t npages = (end - from) / page < STEP ? (end - from) / page : STEP;
        bool known = mincore((void *)from, npages * page, resident) == 0;
        for (size_t i = 0; i < npages; i++)
            missing += known && (resident[i] & 1) ? 0 : page;
    }
    return missing;
}

enum { PAGES = 512 };  // asked for at once

static bool is_any_swapped(void)
{
    struct sysinfo memory;
    return sysinfo(&memory) != 0 || memory.freeswap != memory.totalswap;
}

/** Adds pages that are swapped out, by the process's own table. Returns for how many it says so. */
static size_t add_swapped(int table, uintptr_t from, size_t npages, unsigned char *touched)
{
    const uint64_t present_or_swapped = (uint64_t)3 << 62;
    uint64_t entries[PAGES];
    ssize_t nbytes = pread(table, entries, npages * sizeof entries[0],
                           (off_t)(from / page_nbytes() * sizeof entries[0]));
    size_t n = nbytes < 0 ? 0 : (size_t)nbytes / sizeof entries[0];
    for (size_t i = 0; i < n; i++)
        touched[i] |= (entries[i] & present_or_swapped) != 0;
    return n;
}

/** What the kernel says of npages pages, 1 or 0: of those that have memory, the contents of a file
 *  among them, which may have come in the place of zeros; and of those that are swapped out.
 *  Returns for how many it says so. *table_p: of the latter, -1: not open. */
static size_t ask(int *table_p, uintptr_t from, size_t npages, bool shared, unsigned char *touched)
{
    if (mincore((void *)from, npages * page_nbytes(), touched) != 0)
        return 0;
    for (size_t i = 0; i < npages; i++)
        touched[i] &= 1;
    // after that: what is swapped out later was there
    if (*table_p < 0 && !is_any_swapped())
        return npages;
    if (*table_p < 0 && !shared)
        *table_p = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    return *table_p < 0 ? 0 : add_swapped(*table_p, from, npages, touched);
}

/** The first page, from i on, that is touched (or is not). */
static size_t find(const unsigned char *touched, size_t i, size_t npages, bool is)
{
    while (i < npages && touched[i] != is)
        i++;
    return i;
}

int cwu_pages_touched(const void *at, size_t nbytes, bool shared,
                      int (*part)(void *arg, const void *at, size_t nbytes), void *arg)
{
    enum { FEW = 16 };  // are as fast to read
    unsigned char touched[PAGES];
    uintptr_t from = (uintptr_t)at, end = from + nbytes, page = page_nbytes();
    int table = -1, rc = 0;
    while (rc == 0 && from < end) {
        size_t npages = (end - from) / page < PAGES ? (end - from) / page : PAGES,
               known = nbytes > FEW * page ? ask(&table, from, npages, shared, touched) : 0;
        if (known == 0) {
            rc = part(arg, (const void *)from, end - from);
            break;
        }
        for (size_t i = find(touched, 0, known, true), run_end; rc == 0 && i < known;
             i = find(touched, run_end, known, true)) {
            run_end = find(touched, i, known, false);
            rc = part(arg, (const void *)(from + i * page), (run_end - i) * page);
        }
        from += known * page;
    }
    if (table >= 0)
        close(table);
    return rc;
}
