// SPDX-License-Identifier: BSD-3-Clause
//
// Which pages of zeros have contents: written ones, whatever their runs; what lies behind a file
// that was mapped in their place; what is swapped out. No other page is touched by the question.
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/pages.h"
#include "frame/check.h"

enum { PAGES = 5000, FILE_PAGES = 20 };

static size_t page;
static char *range;
static bool seen[PAGES];
static int ended;  // after so many calls

static bool swapping;  // the kernel as it would answer where all pages are swapped out
static int tables;     // that were asked for what is

int mincore(void *at, size_t nbytes, unsigned char *resident)
{
    if (!swapping)
        return (int)syscall(SYS_mincore, at, nbytes, resident);
    memset(resident, 0, (nbytes + page - 1) / page);
    return 0;
}

int sysinfo(struct sysinfo *memory)
{
    *memory = (struct sysinfo){.totalswap = 7, .freeswap = swapping ? 6 : 7, .mem_unit = 1};
    tables += swapping;
    return 0;
}

static int note(void *arg, const void *at, size_t nbytes)
{
    size_t from = (size_t)((const char *)at - range);
    CHECK(arg == seen && from % page == 0 && nbytes % page == 0 && from + nbytes <= PAGES * page);
    for (size_t i = from / page; i < (from + nbytes) / page; i++) {
        CHECK(!seen[i], "page %zu came twice", i);
        seen[i] = true;
    }
    return ended && --ended == 0 ? 7 : 0;
}

static int count_resident(void)
{
    static unsigned char resident[PAGES];
    int n = 0;
    CHECK(mincore(range, PAGES * page, resident) == 0);
    for (size_t i = 0; i < PAGES; i++)
        n += resident[i] & 1;
    return n;
}

static void open_range(void)
{
    range = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(range != MAP_FAILED);
    CHECK(madvise(range, PAGES * page, MADV_NOHUGEPAGE) == 0 || errno == EINVAL);
    memset(seen, 0, sizeof seen);
}

static bool is_written(size_t i)
{
    return i == 0 || i == 510 || i == 511 || i == 512 || (i > 1000 && i < 2600 && i != 2047) ||
           (i > 3000 && i % 2 == 0) || i == PAGES - 1;
}

static void written(void)
{
    int nwritten = 0;
    open_range();
    for (size_t i = 0; i < PAGES; i++)
        if (is_written(i)) {
            range[i * page + i % page] = 'x';
            nwritten++;
        }
    CHECK(cwu_pages_touched(range, PAGES * page, false, note, seen) == 0);
    for (size_t i = 0; i < PAGES; i++)
        CHECK(seen[i] == is_written(i), "page %zu", i);
    CHECK(count_resident() == nwritten);
    CHECK(tables == 0);  // of processes, for what is swapped out
    memset(seen, 0, sizeof seen);
    swapping = true;
    CHECK(cwu_pages_touched(range, PAGES * page, false, note, seen) == 0);
    CHECK(tables == 1);
    for (size_t i = 0; i < PAGES; i++)
        CHECK(seen[i] == is_written(i), "page %zu, swapped out", i);
    memset(seen, 0, sizeof seen);
    CHECK(cwu_pages_touched(range, PAGES * page, true, note, seen) == 0);
    for (size_t i = 0; i < PAGES; i++)
        CHECK(seen[i], "page %zu, perhaps swapped out", i);
    swapping = false;
    memset(seen, 0, sizeof seen);
    CHECK(cwu_pages_touched(range, PAGES * page, true, note, seen) == 0);
    for (size_t i = 0; i < PAGES; i++)
        CHECK(seen[i] == is_written(i), "page %zu, shared", i);
    memset(seen, 0, sizeof seen);
    ended = 2;
    CHECK(cwu_pages_touched(range, PAGES * page, false, note, seen) == 7);
    CHECK(seen[0] && seen[511] && !seen[1001]);
    munmap(range, PAGES * page);
}

/** As a library does that puts static data on large pages. */
static void of_a_file(void)
{
    int fd = memfd_create("contents", MFD_CLOEXEC);
    REQUIRE(fd >= 0 && ftruncate(fd, (off_t)(FILE_PAGES * page)) == 0);
    CHECK(pwrite(fd, "x", 1, (off_t)(3 * page)) == 1);
    open_range();
    char *at = range + 2000 * page;
    CHECK(mmap(at, FILE_PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0) ==
          at);
    close(fd);
    CHECK(cwu_pages_touched(range, PAGES * page, false, note, seen) == 0);
    for (size_t i = 0; i < PAGES; i++)
        CHECK(i == 2003 ? seen[i] : !seen[i] || i / FILE_PAGES == 100, "page %zu", i);
    munmap(range, PAGES * page);
}

/** A few pages are one run; none are none. */
static void few(void)
{
    open_range();
    CHECK(cwu_pages_touched(range, 3 * page, false, note, seen) == 0);
    CHECK(seen[0] && seen[1] && seen[2] && !seen[3]);
    CHECK(cwu_pages_touched(range, 0, false, note, seen) == 0);
    munmap(range, PAGES * page);
}

static long anonymous_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    while (f && kib < 0 && fgets(line, sizeof line, f))
        if (sscanf(line, "Anonymous: %ld", &kib) != 1)
            kib = -1;
    if (f)
        fclose(f);
    return kib;
}

/** A pattern is whole, a page of it that is written is this place's alone, and it takes little. */
static void patterns(void)
{
    enum { MOST = 1 << 23 };
    static const size_t sizes[] = {1, 512, 4096, 4097, 100000, 131072, MOST};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t n = sizes[i];
        long before = anonymous_kib();
        uintptr_t *words = cwu_pages_pattern(n * sizeof *words, 0x1234567), wrong = 0;
        REQUIRE(words != NULL);
        for (size_t k = 0; k < n; k++)
            wrong += words[k] != 0x1234567;
        words[n / 2] = 7;
        for (size_t k = 0; k < n; k++)
            wrong += words[k] != (k == n / 2 ? 7 : 0x1234567);
        CHECK(wrong == 0, "%zu words: %zu are wrong", n, (size_t)wrong);
        long grown = anonymous_kib() - before;
        CHECK(before < 0 || grown < 128, "%zu words took %ld KiB", n, grown);
        cwu_pages_free(words, n * sizeof *words);
    }
}

int main(void)
{
    patterns();
    page = (size_t)sysconf(_SC_PAGESIZE);
    if (access("/proc/self/pagemap", R_OK) != 0) {
        printf("SKIP: no /proc/self/pagemap\n");
        return 77;
    }
    written();
    of_a_file();
    few();
    return check_result();
}
