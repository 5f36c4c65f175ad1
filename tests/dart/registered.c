// SPDX-License-Identifier: BSD-3-Clause
//
// Registered memory: of the heap, of the stack, static, unaligned, of another size on each unit,
// and such that lies in global memory already; transfers, types with gaps, atomics that meet; a
// unit that computes meanwhile. With an argument the kernel refuses to copy between processes.
#define _GNU_SOURCE
#include <dash/dart/if/dart.h>
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "frame/check.h"
#include "refusals.h"

static dart_global_unit_t me;
static int size;
static bool forbidden;

// ---------------------------------------------------------------- the kernel's part
/** An MPI of the process, which has chosen these calls where the kernel allows them, keeps them. */
static bool is_of_dart(void *caller)
{
    Dl_info from, dart;
    return !dladdr(caller, &from) || !dladdr(dlsym(RTLD_DEFAULT, "dart_init"), &dart) ||
           from.dli_fbase == dart.dli_fbase;
}

static ssize_t call_kernel(void *caller, long number, pid_t pid, const struct iovec *here,
                           unsigned long nhere, const struct iovec *there, unsigned long nthere,
                           unsigned long flags)
{
    if (forbidden && is_of_dart(caller)) {
        errno = EPERM;
        return -1;
    }
    return syscall(number, pid, here, nhere, there, nthere, flags);
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *here, unsigned long nhere,
                         const struct iovec *there, unsigned long nthere, unsigned long flags)
{
    return call_kernel(__builtin_return_address(0), SYS_process_vm_readv, pid, here, nhere, there,
                       nthere, flags);
}

ssize_t process_vm_writev(pid_t pid, const struct iovec *here, unsigned long nhere,
                          const struct iovec *there, unsigned long nthere, unsigned long flags)
{
    return call_kernel(__builtin_return_address(0), SYS_process_vm_writev, pid, here, nhere, there,
                       nthere, flags);
}

// ---------------------------------------------------------------- transfers
static dart_gptr_t at(dart_gptr_t gptr, int unit, size_t offset)
{
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(unit));
    gptr.addr_or_offs.offset = offset;
    return gptr;
}

static unsigned char byte_of(int unit, size_t i)
{
    return (unsigned char)((size_t)unit * 41 + i * 7 + i / 251);
}

static size_t nbytes_of(int unit)
{
    return 400000 + 1000 * (size_t)unit;
}

static void get(void *dest, dart_gptr_t from, size_t n)
{
    CHECK(dart_get_blocking(dest, from, n, DART_TYPE_BYTE, DART_TYPE_BYTE) == DART_OK);
}

static void put(dart_gptr_t to, const void *src, size_t n)
{
    CHECK(dart_put_blocking(to, src, n, DART_TYPE_BYTE, DART_TYPE_BYTE) == DART_OK);
}

static void compare(const unsigned char *bytes, int unit, size_t from, size_t n)
{
    size_t bad = 0;
    for (size_t i = 0; i < n; i++)
        bad += bytes[i] != byte_of(unit, from + i);
    CHECK(bad == 0, "%zu of %zu bytes of unit %d", bad, n, unit);
}

/** All units read all of it in every way; then the left neighbour of each writes it. */
static void whole(unsigned char *own)
{
    static const size_t lengths[] = {0, 1, 8, 4095, 4096, 5000, 70000, 399980};
    dart_gptr_t gptr;
    dart_handle_t handle = DART_HANDLE_NULL;
    unsigned char *copy = malloc(400000);
    const int right = (me.id + 1) % size;
    for (size_t i = 0; i < nbytes_of(me.id); i++)
        own[i] = byte_of(me.id, i);
    REQUIRE(dart_team_memregister(DART_TEAM_ALL, nbytes_of(me.id), DART_TYPE_BYTE, own, &gptr) ==
            DART_OK);
    CHECK(gptr.segid < 0 && gptr.unitid == 0 && gptr.teamid == DART_TEAM_ALL);
    for (int unit = 0; unit < size; unit++)
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            memset(copy, 0xaa, 400000);
            if (i % 3 == 0)
                get(copy, at(gptr, unit, 5 + i), lengths[i]);
            else if (i % 3 == 1)
                CHECK(dart_get(copy, at(gptr, unit, 5 + i), lengths[i], DART_TYPE_BYTE,
                               DART_TYPE_BYTE) == DART_OK &&
                      dart_flush(at(gptr, unit, 0)) == DART_OK);
            else
                CHECK(dart_get_handle(copy, at(gptr, unit, 5 + i), lengths[i], DART_TYPE_BYTE,
                                      DART_TYPE_BYTE, &handle) == DART_OK &&
                      dart_wait(&handle) == DART_OK);
            compare(copy, unit, 5 + i, lengths[i]);
        }
    CHECK(dart_get_blocking(copy, at(gptr, right, nbytes_of(right) - 3), 4, DART_TYPE_BYTE,
                            DART_TYPE_BYTE) == DART_ERR_INVAL);
    dart_barrier(DART_TEAM_ALL);
    for (size_t i = 0; i < 400000; i++)
        copy[i] = byte_of(right + 1, i + 7);
    put(at(gptr, right, 7), copy, 300000);
    CHECK(dart_put(at(gptr, right, 300007), copy + 300000, 1000, DART_TYPE_BYTE, DART_TYPE_BYTE) ==
              DART_OK &&
          dart_put_handle(at(gptr, right, 301007), copy + 301000, 50000, DART_TYPE_BYTE,
                          DART_TYPE_BYTE, &handle) == DART_OK);
    CHECK(dart_flush_all(gptr) == DART_OK && dart_waitall(&handle, 1) == DART_OK);
    dart_barrier(DART_TEAM_ALL);
    compare(own + 7, me.id + 1, 7, 351000);
    CHECK(own[6] == byte_of(me.id, 6) && own[351007] == byte_of(me.id, 351007));
    void *addr;
    CHECK(dart_gptr_getaddr(at(gptr, me.id, 9), &addr) == DART_OK && addr == own + 9);
    CHECK(dart_gptr_getaddr(at(gptr, right, 9), &addr) == DART_OK &&
          (addr != NULL) == (right == me.id));
    CHECK(dart_team_memderegister(gptr) == DART_OK);
    CHECK(dart_flush(gptr) == DART_ERR_INVAL && dart_team_memfree(gptr) == DART_ERR_INVAL);
    free(copy);
}

static void gaps(void)
{
    int table[60], column[20], back[20] = {0};
    dart_gptr_t gptr;
    dart_datatype_t third;
    const int left = (me.id + size - 1) % size;
    for (int i = 0; i < 60; i++)
        table[i] = 1000 * me.id + i;
    for (int i = 0; i < 20; i++)
        column[i] = -1000 * me.id - i;
    REQUIRE(dart_type_create_strided(DART_TYPE_INT, 3, 1, &third) == DART_OK);
    REQUIRE(dart_team_memregister_aligned(DART_TEAM_ALL, 60, DART_TYPE_INT, table, &gptr) ==
            DART_OK);
    CHECK(dart_get_blocking(back, at(gptr, left, 4), 19, third, DART_TYPE_INT) == DART_OK);
    for (int i = 0; i < 19; i++)
        CHECK(back[i] == 1000 * left + 1 + 3 * i);
    dart_barrier(DART_TEAM_ALL);
    CHECK(dart_put_blocking(at(gptr, left, 0), column, 20, DART_TYPE_INT, third) == DART_OK);
    dart_barrier(DART_TEAM_ALL);
    for (int i = 0; i < 60; i++)
        CHECK(table[i] == (i % 3 ? 1000 * me.id + i : -1000 * ((me.id + 1) % size) - i / 3));
    CHECK(dart_team_memderegister(gptr) == DART_OK && dart_type_destroy(&third) == DART_OK);
}

// ---------------------------------------------------------------- atomics
typedef struct words {
    long sum;
    double real[40];
    long double wide;
    int most, swapped;
    unsigned char byte;
} words_t;
static words_t words = {.most = -1};

/** All units change unit 0's words, in several ways. */
static void atomics(int rounds)
{
    dart_gptr_t gptr;
    double ones[40];
    long one = 1, old, won = 0;
    long double half = 0.5L;
    unsigned char three = 3;
    words = (words_t){.most = -1};
    for (int i = 0; i < 40; i++)
        ones[i] = i;
    REQUIRE(dart_team_memregister(DART_TEAM_ALL, sizeof words, DART_TYPE_BYTE, &words, &gptr) ==
            DART_OK);
#define IN(member) at(gptr, 0, offsetof(words_t, member))
    for (int i = 0; i < rounds; i++) {
        int old_int, next = me.id * rounds + i, from = i, to = i + 1;
        CHECK(dart_fetch_and_op(IN(sum), &one, &old, DART_TYPE_LONG, DART_OP_SUM) == DART_OK);
        CHECK(old >= i && old < (long)size * rounds);
        CHECK(dart_accumulate(IN(real), ones, 40, DART_TYPE_DOUBLE, DART_OP_SUM) == DART_OK);
        CHECK(dart_accumulate(IN(wide), &half, 1, DART_TYPE_LONG_DOUBLE, DART_OP_SUM) == DART_OK);
        CHECK(dart_accumulate_blocking_local(IN(most), &next, 1, DART_TYPE_INT, DART_OP_MAX) ==
              DART_OK);
        CHECK(dart_accumulate(IN(byte), &three, 1, DART_TYPE_BYTE, DART_OP_SUM) == DART_OK);
        CHECK(dart_compare_and_swap(IN(swapped), &to, &from, &old_int, DART_TYPE_INT) == DART_OK);
        won += old_int == from;
    }
    CHECK(dart_fetch_and_op(IN(sum), NULL, &old, DART_TYPE_LONG, DART_OP_NO_OP) == DART_OK);
    CHECK(old >= rounds);
    long all = 0;
    CHECK(dart_allreduce(&won, &all, 1, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_ALL) == DART_OK);
    dart_barrier(DART_TEAM_ALL);
    if (me.id == 0) {
        const long n = (long)size * rounds;
        CHECK(words.sum == n && words.wide == 0.5L * n && words.most == n - 1);
        CHECK(words.byte == (unsigned char)(3 * n) && words.swapped == all);
        for (int i = 0; i < 40; i++)
            CHECK(words.real[i] == (double)i * (double)n);
    }
    CHECK(dart_team_memderegister(gptr) == DART_OK);
}

// ---------------------------------------------------------------- others
/** Memory that is global already, under a second name. */
static void twice(void)
{
    dart_gptr_t first, second;
    void *own;
    long value = me.id, sum;
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, 10, DART_TYPE_LONG, &first) == DART_OK &&
            dart_gptr_getaddr(at(first, me.id, 0), &own) == DART_OK);
    memset(own, 0, 80);
    REQUIRE(dart_team_memregister(DART_TEAM_ALL, 10, DART_TYPE_LONG, own, &second) == DART_OK);
    for (int i = 0; i < 100; i++)
        for (int unit = 0; unit < size; unit++)
            CHECK(dart_accumulate(at(i % 2 ? first : second, unit, 24), &value, 1, DART_TYPE_LONG,
                                  DART_OP_SUM) == DART_OK);
    CHECK(dart_flush_all(second) == DART_OK && dart_barrier(DART_TEAM_ALL) == DART_OK);
    CHECK(dart_get_blocking(&sum, at(second, (me.id + 1) % size, 24), 1, DART_TYPE_LONG,
                            DART_TYPE_LONG) == DART_OK &&
          sum == 50L * size * (size - 1));
    CHECK(dart_team_memderegister(second) == DART_OK && dart_team_memfree(first) == DART_OK);
}

/** Numbers come again; a team that ends takes its segments with it. */
static void many(void)
{
    enum { MANY = 200 };
    static int blocks[MANY];
    dart_gptr_t gptrs[MANY];
    dart_team_t team;
    for (int round = 0; round < 3; round++) {
        REQUIRE(dart_team_clone(DART_TEAM_ALL, &team) == DART_OK);
        for (int i = 0; i < MANY; i++) {
            blocks[i] = me.id * MANY + i;
            CHECK(dart_team_memregister(i % 2 ? team : DART_TEAM_ALL, i % 7 ? 1 : 0, DART_TYPE_INT,
                                        i % 7 ? &blocks[i] : NULL, &gptrs[i]) == DART_OK);
            CHECK(gptrs[i].segid == -1 - i / 2);
        }
        for (int i = 0; i < MANY; i++) {
            int value = -1, unit = (me.id + i) % size;
            CHECK(dart_get_blocking(&value, at(gptrs[i], unit, 0), 1, DART_TYPE_INT,
                                    DART_TYPE_INT) == (i % 7 ? DART_OK : DART_ERR_INVAL));
            CHECK(value == (i % 7 ? unit * MANY + i : -1));
        }
        dart_barrier(DART_TEAM_ALL);  // all have read
        for (int i = 0; i < MANY; i += 2)
            CHECK(dart_team_memderegister(gptrs[MANY - 2 - i]) == DART_OK);
        CHECK(dart_team_destroy(&team) == DART_OK);
    }
    // on one unit only: none gets it
    CHECK(dart_team_memregister(DART_TEAM_ALL, 1, DART_TYPE_INT, me.id == 0 ? NULL : blocks,
                                &gptrs[0]) == DART_ERR_INVAL &&
          DART_GPTR_ISNULL(gptrs[0]));
    CHECK(dart_team_memderegister(DART_GPTR_NULL) == DART_OK);
}

/** The least and the largest number that a unit has got. */
static void expect_same_number(dart_gptr_t gptr)
{
    int number = gptr.segid, least, most;
    CHECK(dart_allreduce(&number, &least, 1, DART_TYPE_INT, DART_OP_MIN, DART_TEAM_ALL) ==
              DART_OK &&
          dart_allreduce(&number, &most, 1, DART_TYPE_INT, DART_OP_MAX, DART_TEAM_ALL) == DART_OK);
    CHECK(least == most, "segments %d to %d", least, most);
}

/** Units end different segments, in an order of their own, and make others together. */
static void uneven(void)
{
    enum { BLOCKS = 24 };
    static int blocks[BLOCKS];
    dart_gptr_t gptrs[BLOCKS];
    bool on[BLOCKS] = {false};
    for (int round = 0; round < 12; round++) {
        for (int i = 0; i < BLOCKS; i++) {
            if ((i + round) % 3)  // the same ones on all units
                continue;
            if (on[i])
                CHECK(dart_team_memderegister(gptrs[i]) == DART_OK);
            blocks[i] = 1000 * me.id + 10 * round + i;
            REQUIRE(dart_team_memregister(DART_TEAM_ALL, 1, DART_TYPE_INT, &blocks[i], &gptrs[i]) ==
                    DART_OK);
            expect_same_number(gptrs[i]);
            on[i] = true;
            int unit = (me.id + i) % size, value = -1;
            get(&value, at(gptrs[i], unit, 0), sizeof value);
            CHECK(value == 1000 * unit + 10 * round + i, "round %d, block %d of unit %d: %d", round,
                  i, unit, value);
        }
        dart_barrier(DART_TEAM_ALL);
        for (int i = 0; i < BLOCKS; i++) {
            int mine = me.id % 2 ? i : BLOCKS - 1 - i;
            if (!on[mine] || (mine * 7 + round + me.id * 5) % 4)
                continue;
            CHECK(dart_team_memderegister(gptrs[mine]) == DART_OK);
            CHECK(dart_flush(gptrs[mine]) == DART_ERR_INVAL);
            on[mine] = false;
        }
    }
    for (int i = 0; i < BLOCKS; i++)
        if (on[i])
            CHECK(dart_team_memderegister(gptrs[i]) == DART_OK);
}

/** The end of a segment waits for no unit. */
static void one_ends(void)
{
    static long block;
    dart_gptr_t gptr, flag;
    void *own;
    long one = 1;
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_LONG, &flag) == DART_OK &&
            dart_gptr_getaddr(at(flag, me.id, 0), &own) == DART_OK);
    *(long *)own = 0;
    REQUIRE(dart_team_memregister(DART_TEAM_ALL, 1, DART_TYPE_LONG, &block, &gptr) == DART_OK);
    dart_barrier(DART_TEAM_ALL);
    if (me.id > 0)  // until the unit before is through
        for (long old = 0, none = 0; old == 0;)
            CHECK(dart_fetch_and_op(at(flag, me.id, 0), &none, &old, DART_TYPE_LONG, DART_OP_SUM) ==
                  DART_OK);
    CHECK(dart_team_memderegister(gptr) == DART_OK);
    if (me.id + 1 < size)
        CHECK(dart_put_blocking(at(flag, me.id + 1, 0), &one, 1, DART_TYPE_LONG, DART_TYPE_LONG) ==
              DART_OK);
    CHECK(dart_team_memfree(flag) == DART_OK);
}

/** The last unit calls nothing until the others are done. */
static void sleeping(void)
{
    static long block[1000];
    dart_gptr_t gptr, flags;
    void *ready;
    long value = 1, old, done = 0;
    if (size == 1)
        return;
    block[0] = block[1] = 0;
    block[999] = 7;
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_LONG, &flags) == DART_OK &&
            dart_gptr_getaddr(at(flags, me.id, 0), &ready) == DART_OK);
    *(long *)ready = 0;
    REQUIRE(dart_team_memregister(DART_TEAM_ALL, 1000, DART_TYPE_LONG, block, &gptr) == DART_OK);
    dart_barrier(DART_TEAM_ALL);
    if (me.id == size - 1) {
        time_t end = time(NULL) + 50;
        while (done < size - 1 && time(NULL) < end)  // no call, no wait
            done = __atomic_load_n((long *)ready, __ATOMIC_ACQUIRE);
        CHECK(done == size - 1, "%ld units are done", done);
        CHECK(block[0] == size - 1 && block[1] == 1);
    } else {
        CHECK(dart_fetch_and_op(at(gptr, size - 1, 0), &value, &old, DART_TYPE_LONG, DART_OP_SUM) ==
              DART_OK);
        CHECK(dart_put_blocking(at(gptr, size - 1, 8), &value, 1, DART_TYPE_LONG, DART_TYPE_LONG) ==
              DART_OK);
        get(&old, at(gptr, size - 1, 999 * sizeof old), sizeof old);
        CHECK(old == 7);
        CHECK(dart_fetch_and_op(at(flags, size - 1, 0), &value, &old, DART_TYPE_LONG,
                                DART_OP_SUM) == DART_OK);
    }
    dart_barrier(DART_TEAM_ALL);
    CHECK(dart_team_memderegister(gptr) == DART_OK && dart_team_memfree(flags) == DART_OK);
}

int main(int argc, char **argv)
{
    refuse_without_lines();
    size_t n;
    forbidden = argc > 1;
    for (int life = 0; life < 2; life++) {
        REQUIRE(dart_init(&argc, &argv) == DART_OK);
        dart_myid(&me);
        dart_size(&n);
        size = (int)n;
        check_as("unit", me.id, size);
        unsigned char *own = malloc(nbytes_of(me.id) + 3);
        whole(own + 3);
        free(own);
        gaps();
        atomics(forbidden ? 5 : 50);
        twice();
        many();
        uneven();
        one_ends();
        if (!forbidden)
            sleeping();
        CHECK(dart_exit() == DART_OK);
    }
    return check_result();
}
