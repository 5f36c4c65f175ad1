// SPDX-License-Identifier: BSD-3-Clause
//
// Large pages behind large blocks, as CAUSEWAY_HUGEPAGES has it: the kernel's list of mappings says
// what each may have (VmFlags hg, nh) and has. Of blocks of all allocators, where the program sees
// them and in the views of its peers.
#define _GNU_SOURCE
#include <armci.h>
#include <shmem.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "frame/check.h"

enum { LARGE = 2 << 20, BLOCK = 8 << 20, INSIDE = BLOCK - 2 * LARGE, PIECES = 64, MANY = 200 };

typedef struct {
    int may, may_not;  // flags of the mappings of a range
    size_t large;      // bytes of their large pages
} pages_t;

/** Of all mappings that have a part of the range. */
static pages_t pages_of(const void *at, size_t nbytes)
{
    const uintptr_t from = (uintptr_t)at, end = from + nbytes;
    pages_t pages = {0};
    char line[4096];
    bool inside = false;
    FILE *maps = fopen("/proc/self/smaps", "r");
    REQUIRE(maps);
    while (fgets(line, sizeof line, maps)) {
        unsigned long a, b;
        size_t kib;
        if (sscanf(line, "%lx-%lx ", &a, &b) == 2)
            inside = a < end && b > from;
        if (!inside)
            continue;
        if (sscanf(line, "ShmemPmdMapped: %zu", &kib) == 1)
            pages.large += kib << 10;
        pages.may |= strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " hg") != NULL;
        pages.may_not |= strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " nh") != NULL;
    }
    fclose(maps);
    return pages;
}

static int mappings(void)
{
    char line[4096];
    int n = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    REQUIRE(maps);
    while (fgets(line, sizeof line, maps))
        n += strstr(line, "memfd:causeway") != NULL;
    fclose(maps);
    return n;
}

/** The first whole large page of a block. */
static char *first_page(void *block)
{
    return (char *)(((uintptr_t)block + LARGE - 1) / LARGE * LARGE);
}

/** Can this kernel make large pages of shared memory? */
static bool kernel_makes(void)
{
    int fd = memfd_create("probe", 0);
    REQUIRE(fd >= 0 && ftruncate(fd, LARGE) == 0);
    char *all = mmap(NULL, 2 * LARGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *at = first_page(all);
    REQUIRE(all != MAP_FAILED &&
            mmap(at, LARGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == at);
    *at = 1;
    bool made = syscall(SYS_madvise, at, LARGE, 25) == 0;  // MADV_COLLAPSE
    munmap(all, 2 * LARGE);
    close(fd);
    return made;
}

static void check_block(const char *what, char *block, const char *setting, bool made)
{
    pages_t pages = pages_of(first_page(block), INSIDE);
    CHECK(pages.may == (strcmp(setting, "off") != 0), "%s: may be large: %d", what, pages.may);
    CHECK(pages.may_not == (strcmp(setting, "off") == 0), "%s: may not: %d", what, pages.may_not);
    if (strcmp(setting, "2M") == 0 && made)
        CHECK(pages.large >= INSIDE, "%s: %zu bytes in large pages", what, pages.large);
    if (strcmp(setting, "off") == 0)
        CHECK(pages.large == 0, "%s: %zu bytes in large pages", what, pages.large);
}

static void check_bytes(const char *what, const char *bytes, char value)
{
    size_t wrong = 0;
    for (size_t i = 0; i < BLOCK; i++)
        wrong += bytes[i] != value;
    CHECK(wrong == 0, "%s: %zu bytes are wrong", what, wrong);
}

/** The peer's block, where this PE sees it, if it does. */
static void check_peer(const char *theirs, char value, const char *setting, bool made)
{
    if (!theirs)
        return;
    check_bytes("shmem_ptr", theirs, value);
    if (strcmp(setting, "2M") == 0 && made)
        CHECK(pages_of(theirs, BLOCK).large >= INSIDE, "a peer has %zu bytes in large pages",
              pages_of(theirs, BLOCK).large);
}

int main(int argc, char **argv)
{
    REQUIRE(argc == 2);
    const char *setting = argv[1];
    const bool made = kernel_makes();
    shmem_init();
    ARMCI_Init();
    const int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n;
    check_as("PE", me, n);
    char *small = shmem_malloc(4096), *block = shmem_malloc(BLOCK);
    void **armci = malloc((size_t)n * sizeof *armci);
    REQUIRE(small && block && armci && ARMCI_Malloc(armci, BLOCK) == 0);
    CHECK(!pages_of(small, 4096).may, "small blocks have no large pages");
    check_block("shmem_malloc", block, setting, made);
    check_block("ARMCI_Malloc", armci[me], setting, made);
    memset(block, 1 + me, BLOCK);
    memset(armci[me], 101 + me, BLOCK);
    shmem_barrier_all();
    check_peer(shmem_ptr(block, next), (char)(1 + next), setting, made);
    char *copy = malloc(BLOCK);
    REQUIRE(copy && ARMCI_Get(armci[next], copy, BLOCK, next) == 0);
    check_bytes("ARMCI_Get", copy, (char)(101 + next));
    shmem_getmem(copy, block, BLOCK, next);
    check_bytes("shmem_getmem", copy, (char)(1 + next));
    // blocks with small ones between them do not have a mapping each
    for (int i = 0; strcmp(setting, "auto") == 0 && i < MANY; i++)
        REQUIRE(shmem_malloc(3 << 20) && shmem_malloc(64));
    CHECK(mappings() < PIECES, "%d mappings", mappings());
    shmem_barrier_all();
    if (strcmp(setting, "2M") == 0 && me == 0 && !made)
        printf("this kernel makes no large pages of shared memory: not checked\n");
    ARMCI_Finalize();
    shmem_finalize();
    return check_result();
}
