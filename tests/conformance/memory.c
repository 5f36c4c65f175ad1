// SPDX-License-Identifier: BSD-3-Clause
//
// Memory management: alignment, contents, the zero and NULL cases, barriers, deprecated names, and
// a full heap.
#include "check.h"
#include <stdalign.h>
#include <stdint.h>

/** Checks that the block is the same on every PE: a put through one PE's address arrives at the
 *  other's. */
static void check_symmetric(const char *call, int *p)
{
    p[0] = -1;
    shmem_barrier_all();
    shmem_int_p(p, me, next);
    shmem_barrier_all();
    CHECK(p[0] == prev, "%s: block is not symmetric: %d", call, p[0]);
    CHECK(shmem_addr_accessible(p, next) == 1, "%s: not accessible", call);
    shmem_barrier_all();
}

static int is_aligned(const void *p, size_t alignment)
{
    return (uintptr_t)p % alignment == 0;
}

static void allocation(void)
{
    for (size_t n = 1; n < 100000; n = n * 3 + 1) {
        int *p = shmem_malloc(n + sizeof(int));
        CHECK(p && is_aligned(p, alignof(max_align_t)), "shmem_malloc(%zu) = %p", n, (void *)p);
        check_symmetric("shmem_malloc", p);
        memset(p, 0xAB, n);
        shmem_free(p);
        unsigned char *z = shmem_calloc(n, 3);
        CHECK(z && is_aligned(z, alignof(max_align_t)), "shmem_calloc(%zu, 3) = %p", n, (void *)z);
        size_t i = 0;
        while (i < n * 3 && z[i] == 0)
            i++;
        CHECK(i == n * 3, "shmem_calloc: byte %zu is not zero", i);
        shmem_free(z);
    }
    for (size_t alignment = 1; alignment <= 2 << 20; alignment *= 2) {
        int *p = shmem_align(alignment, 100);
        CHECK(p && is_aligned(p, alignment), "shmem_align(%zu) = %p", alignment, (void *)p);
        check_symmetric("shmem_align", p);
        shmem_free(p);
    }
    const long hints[] = {0, SHMEM_MALLOC_ATOMICS_REMOTE, SHMEM_MALLOC_SIGNAL_REMOTE,
                          SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE};
    for (int i = 0; i < 4; i++) {
        int *p = shmem_malloc_with_hints(1000, hints[i]);
        CHECK(p && is_aligned(p, alignof(max_align_t)), "shmem_malloc_with_hints = %p", (void *)p);
        check_symmetric("shmem_malloc_with_hints", p);
        shmem_free(p);
    }
}

/** No action and no barrier: only PE 0 calls, and does not wait for the others. */
static void no_action(void)
{
    if (me == 0) {
        CHECK(shmem_malloc(0) == NULL, "shmem_malloc(0)");
        CHECK(shmem_calloc(0, 4) == NULL && shmem_calloc(4, 0) == NULL, "shmem_calloc of nothing");
        CHECK(shmem_align(64, 0) == NULL, "shmem_align(64, 0)");
        CHECK(shmem_malloc_with_hints(0, 0) == NULL, "shmem_malloc_with_hints(0)");
        CHECK(shmem_realloc(NULL, 0) == NULL, "shmem_realloc(NULL, 0)");
        shmem_free(NULL);
    }
    shmem_barrier_all();
}

static void resizing(void)
{
    unsigned char *p = shmem_realloc(NULL, 1000);
    CHECK(p != NULL, "shmem_realloc(NULL, 1000)");
    for (int i = 0; i < 1000; i++)
        p[i] = (unsigned char)(i * 7 + me);
    unsigned char *other = shmem_malloc(64);  // so that growing must move
    const size_t sizes[] = {1500, 200000, 900, 16, 1000};
    size_t kept = 1000;
    for (int k = 0; k < 5; k++) {
        p = shmem_realloc(p, sizes[k]);
        CHECK(p != NULL, "shmem_realloc to %zu", sizes[k]);
        kept = kept < sizes[k] ? kept : sizes[k];
        size_t i = 0;
        while (i < kept && p[i] == (unsigned char)(i * 7 + (size_t)me))
            i++;
        CHECK(i == kept, "shmem_realloc to %zu lost byte %zu", sizes[k], i);
    }
    check_symmetric("shmem_realloc", (int *)(void *)p);
    CHECK(shmem_realloc(p, 0) == NULL, "shmem_realloc to 0");
    shmem_free(other);
}

/** On return from an allocation every PE has it: no further barrier is needed before a put. */
static void barrier_on_exit(void)
{
    for (int i = 0; i < 20; i++) {
        int *p = shmem_calloc(4, sizeof(int));
        shmem_int_p(p, i + 1, next);
        shmem_int_wait_until(p, SHMEM_CMP_EQ, i + 1);
        int from = shmem_int_g(p + 1, next);
        CHECK(from == 0, "calloc of the next PE shows %d", from);
        shmem_free(p);  // a release waits until all PEs have called it
    }
}

static void old_names(void)
{
    int *p = shmalloc(100);
    check_symmetric("shmalloc", p);
    p[5] = 17;
    p = shrealloc(p, 10000);
    CHECK(p && p[5] == 17, "shrealloc");
    shfree(p);
    p = shmemalign(4096, 8);
    CHECK(p && is_aligned(p, 4096), "shmemalign");
    shfree(p);
}

/** What does not fit returns NULL on every PE, and the heap still works; freed blocks merge
 *  again. */
static void full_heap(void)
{
    CHECK(shmem_malloc(SIZE_MAX / 2) == NULL, "shmem_malloc of half the address space");
    CHECK(shmem_calloc(SIZE_MAX / 2, 3) == NULL, "shmem_calloc whose size overflows");
    CHECK(shmem_malloc_with_hints(SIZE_MAX, SHMEM_MALLOC_ATOMICS_REMOTE) == NULL,
          "a hint on an impossible size");
    char *p = shmem_malloc(10);
    CHECK(shmem_realloc(p, SIZE_MAX / 2) == NULL, "shmem_realloc to half the address space");
    p[0] = 1;
    shmem_free(p);
    enum { BLOCKS = 200, EACH = 1 << 16 };
    static char *blocks[BLOCKS];
    for (int round = 0; round < 3; round++) {
        int n = 0;
        while (n < BLOCKS && (blocks[n] = shmem_malloc(EACH)) != NULL)
            n++;
        CHECK(n > 50, "only %d blocks of 64 KiB fit a heap of 16 MiB", n);
        for (int i = 0; i < n; i += 2)
            shmem_free(blocks[i]);
        for (int i = 1; i < n; i += 2)
            shmem_free(blocks[i]);
    }
    char *large = shmem_malloc(12 << 20);
    CHECK(large != NULL, "the heap is in pieces");
    shmem_free(large);
}

int main(void)
{
    check_begin();
    allocation();
    no_action();
    resizing();
    barrier_on_exit();
    old_names();
    full_heap();
    return check_end();
}
