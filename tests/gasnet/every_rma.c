// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers and their completion.
#include "every.h"

static const size_t sizes[] = {1,   2,   3,   4,    7,    8,    9,     16,    64,
                               100, 128, 129, 1000, 4096, 5000, 70000, 200000};
enum { NSIZES = sizeof sizes / sizeof *sizes, BIG = 200000 };
static char buffer[BIG + 16], back[BIG + 16];

/** Checks what arrived in this node's segment from the previous node. */
static void check_arrived(const char *what, unsigned round, size_t at, size_t n)
{
    size_t bad = compare(mine + at, prev, round, n);
    CHECK(bad == n, "%s of %zu bytes: byte %zu is %d instead of %d", what, n, bad,
          (unsigned char)mine[at + bad], pattern(prev, round, bad));
    CHECK(mine[at + n] == 0x55 && (at == 0 || mine[at - 1] == 0x55), "%s of %zu bytes wrote beside",
          what, n);
}

/** The ways to complete a put or get. */
typedef enum kind { BLOCKING, BLOCKING_BULK, NB, NB_BULK, NBI, NBI_BULK, KINDS } kind_t;
static const char *const put_names[] = {"put",         "put_bulk", "put_nb",
                                        "put_nb_bulk", "put_nbi",  "put_nbi_bulk"};
static const char *const get_names[] = {"get",         "get_bulk", "get_nb",
                                        "get_nb_bulk", "get_nbi",  "get_nbi_bulk"};

static void put(kind_t kind, char *dest, char *src, size_t n)
{
    gasnet_handle_t h;
    switch (kind) {
    case BLOCKING:
        gasnet_put(next, dest, src, n);
        return;
    case BLOCKING_BULK:
        gasnet_put_bulk(next, dest, src, n);
        return;
    case NB:
        h = gasnet_put_nb(next, dest, src, n);
        memset(src, 0, n);  // the call has copied it
        gasnet_wait_syncnb(h);
        return;
    case NB_BULK:
        h = gasnet_put_nb_bulk(next, dest, src, n);
        while (gasnet_try_syncnb(h) == GASNET_ERR_NOT_READY)
            gasnet_AMPoll();
        return;
    case NBI:
        gasnet_put_nbi(next, dest, src, n);
        memset(src, 0, n);
        gasnet_wait_syncnbi_puts();
        return;
    default:
        gasnet_put_nbi_bulk(next, dest, src, n);
        while (gasnet_try_syncnbi_puts() == GASNET_ERR_NOT_READY)
            gasnet_AMPoll();
    }
}

static void get(kind_t kind, char *dest, char *src, size_t n)
{
    gasnet_handle_t h;
    switch (kind) {
    case BLOCKING:
        gasnet_get(dest, next, src, n);
        return;
    case BLOCKING_BULK:
        gasnet_get_bulk(dest, next, src, n);
        return;
    case NB:
        h = gasnet_get_nb(dest, next, src, n);
        gasnet_wait_syncnb(h);
        return;
    case NB_BULK:
        h = gasnet_get_nb_bulk(dest, next, src, n);
        while (gasnet_try_syncnb(h) == GASNET_ERR_NOT_READY)
            gasnet_AMPoll();
        return;
    case NBI:
        gasnet_get_nbi(dest, next, src, n);
        gasnet_wait_syncnbi_gets();
        return;
    default:
        gasnet_get_nbi_bulk(dest, next, src, n);
        while (gasnet_try_syncnbi_gets() == GASNET_ERR_NOT_READY)
            gasnet_AMPoll();
    }
}

/** Bulk transfers may be unaligned; the others are aligned for their size. */
static size_t place(kind_t kind)
{
    return kind == BLOCKING_BULK || kind == NB_BULK || kind == NBI_BULK ? 13 : 16;
}

#ifdef GASNET_SEGMENT_EVERYTHING
static void memset_here(void)
{
    char here[50000];
    gasnet_memset(me, here, 0x11, sizeof here);
    gasnet_wait_syncnb(gasnet_memset_nb(me, here + 1, 0x12, sizeof here - 1));
    gasnet_memset_nbi(me, here + 2, 0x13, sizeof here - 2);
    gasnet_wait_syncnbi_puts();
    CHECK(here[0] == 0x11 && here[1] == 0x12, "memset of the stack: the first bytes");
    for (size_t i = 2; i < sizeof here; i++)
        CHECK(here[i] == 0x13, "memset of the stack: byte %zu", i);
}
#endif

void test_put_get(void)
{
    unsigned round = 0;
    for (int s = 0; s < NSIZES; s++) {
        for (kind_t kind = BLOCKING; kind < KINDS; kind++) {
            size_t n = sizes[s], at = place(kind);
            round++;
            memset(mine, 0x55, n + 64);
            barrier();
            fill(buffer, me, round, n);
            put(kind, theirs + at, buffer, n);
            memset(back, 0x33, n + 1);
            get(kind, back, theirs + at, n);
            size_t bad = compare(back, me, round, n);
            CHECK(bad == n && back[n] == 0x33, "%s of %zu bytes: byte %zu", get_names[kind], n,
                  bad);
            barrier();
            check_arrived(put_names[kind], round, at, n);
        }
    }
    // To the node itself, and with no bytes.
    fill(buffer, me, 1, 100);
    gasnet_put_bulk(me, mine, buffer, 100);
    CHECK(compare(mine, me, 1, 100) == 100, "put to myself");
    gasnet_put(next, theirs, buffer, 0);
    gasnet_get(buffer, next, theirs, 0);
    gasnet_wait_syncnb(gasnet_put_nb_bulk(next, theirs, buffer, 0));
    barrier();
    for (int kind = 0; kind < 3; kind++) {  // memset
        memset(mine, 0x55, 100100);
        barrier();
        if (kind == 0)
            gasnet_memset(next, theirs + 5, 0x1a5, 100000);
        else if (kind == 1)
            gasnet_wait_syncnb(gasnet_memset_nb(next, theirs + 5, 0xa6, 100000));
        else
            gasnet_memset_nbi(next, theirs + 5, 0xa7, 100000);
        gasnet_wait_syncnbi_all();
        barrier();
        int good = 0;
        for (int i = 0; i < 100000; i++)
            good += (unsigned char)mine[5 + i] == 0xa5 + kind;
        CHECK(good == 100000 && mine[4] == 0x55 && mine[100005] == 0x55, "memset %d: %d bytes",
              kind, good);
    }
#ifdef GASNET_SEGMENT_EVERYTHING
    // The node's own stack, on which the call has its arguments, too.
    memset_here();
#endif
    barrier();
}

void test_values(void)
{
    for (size_t n = 1; n <= SIZEOF_GASNET_REGISTER_VALUE_T; n++) {
        gasnet_register_value_t value = (gasnet_register_value_t)0xf1e2d3c4b5a69788u + me;
        gasnet_register_value_t mask =
            n == 8 ? ~(gasnet_register_value_t)0 : ((gasnet_register_value_t)1 << 8 * n) - 1;
        gasnet_register_value_t got = 0;
        memset(mine, 0x55, 64);
        barrier();
        gasnet_put_val(next, theirs, value, n);
        gasnet_handle_t h = gasnet_put_nb_val(next, theirs + 16, value + 1, n);
        gasnet_put_nbi_val(next, theirs + 32, value + 2, n);
        gasnet_wait_syncnb(h);
        gasnet_wait_syncnbi_puts();
        for (unsigned i = 0; i < 3; i++) {
            got = gasnet_get_val(next, theirs + 16 * i, n);
            CHECK(got == ((value + i) & mask), "get_val of %zu bytes, value %u: %zx", n, i,
                  (size_t)got);
        }
        gasnet_valget_handle_t one = gasnet_get_nb_val(next, theirs, n),
                               two = gasnet_get_nb_val(next, theirs + 16, n);
        got = gasnet_wait_syncnb_valget(two);
        CHECK(got == ((value + 1) & mask), "second get_nb_val of %zu bytes: %zx", n, (size_t)got);
        got = gasnet_wait_syncnb_valget(one);
        CHECK(got == (value & mask), "first get_nb_val of %zu bytes: %zx", n, (size_t)got);
        barrier();
        CHECK(mine[n] == 0x55 && mine[16 + n] == 0x55 && mine[32 + n] == 0x55,
              "put_val of %zu bytes wrote beside", n);
    }
    barrier();
}

enum { MANY = 40, PIECE = 300 };

static void begin_many(gasnet_handle_t *handles, unsigned round)
{
    fill(buffer, me, round, MANY * PIECE);
    for (int i = 0; i < MANY; i++)
        handles[i] = i % 5 == 4
                         ? GASNET_INVALID_HANDLE
                         : gasnet_put_nb_bulk(next, theirs + i * PIECE, buffer + i * PIECE, PIECE);
}

static int left_of(const gasnet_handle_t *handles)
{
    int left = 0;
    for (int i = 0; i < MANY; i++)
        left += handles[i] != GASNET_INVALID_HANDLE;
    return left;
}

/** A try reports what quiet would complete: it may be late, but it succeeds. */
static int comes(int (*attempt)(void))
{
    for (int i = 0; i < 1000000; i++)
        if (attempt() == GASNET_OK)
            return 1;
    return 0;
}

static void check_many(const char *what, unsigned round)
{
    barrier();
    for (int i = 0; i < MANY; i++) {
        size_t good = 0;
        while (good < PIECE &&
               (unsigned char)mine[i * PIECE + good] == pattern(prev, round, i * PIECE + good))
            good++;
        CHECK((good == PIECE) == (i % 5 != 4), "%s: piece %d has %zu good bytes", what, i, good);
    }
    memset(mine, 0x55, MANY * PIECE);
    barrier();
}

void test_sync(void)
{
    gasnet_handle_t handles[MANY], none = GASNET_INVALID_HANDLE;
    memset(mine, 0x55, MANY * PIECE);
    barrier();
    begin_many(handles, 1);
    gasnet_wait_syncnb_all(handles, MANY);
    CHECK(left_of(handles) == 0, "wait_syncnb_all leaves %d", left_of(handles));
    check_many("wait_syncnb_all", 1);
    begin_many(handles, 2);
    while (gasnet_try_syncnb_all(handles, MANY) != GASNET_OK)
        ;
    CHECK(left_of(handles) == 0, "try_syncnb_all leaves %d", left_of(handles));
    check_many("try_syncnb_all", 2);
    begin_many(handles, 3);
    for (int rounds = 0, before; (before = left_of(handles)) > 0; rounds++) {
        gasnet_wait_syncnb_some(handles, MANY);
        CHECK(left_of(handles) < before, "wait_syncnb_some: %d of %d left", left_of(handles),
              before);
        if (rounds > MANY)
            break;
    }
    check_many("wait_syncnb_some", 3);
    begin_many(handles, 4);
    while (left_of(handles) > 0) {
        int before = left_of(handles), rc = gasnet_try_syncnb_some(handles, MANY);
        CHECK((rc == GASNET_OK) == (left_of(handles) < before),
              "try_syncnb_some gives %d with %d of %d left", rc, left_of(handles), before);
    }
    check_many("try_syncnb_some", 4);
    // There is nothing to wait for.
    gasnet_wait_syncnb(none);
    gasnet_wait_syncnb_all(handles, 0);
    gasnet_wait_syncnb_some(handles, MANY);
    CHECK(gasnet_try_syncnb_nopoll(none) == GASNET_OK &&
              gasnet_try_syncnb_all_nopoll(handles, MANY) == GASNET_OK &&
              gasnet_try_syncnb_some_nopoll(handles, MANY) == GASNET_OK,
          "tests that need not poll, of nothing");
    CHECK(gasnet_try_syncnb(none) == GASNET_OK &&
              gasnet_try_syncnb_all(handles, MANY) == GASNET_OK &&
              gasnet_try_syncnb_some(handles, MANY) == GASNET_OK &&
              gasnet_try_syncnb_some(handles, 0) == GASNET_OK,
          "dead handles are not done");
    CHECK(comes(gasnet_try_syncnbi_gets) && comes(gasnet_try_syncnbi_puts) &&
              comes(gasnet_try_syncnbi_all),
          "nothing is in flight, and never done");
    gasnet_wait_syncnbi_gets();
    gasnet_wait_syncnbi_puts();
    gasnet_wait_syncnbi_all();
    // Thousands of small ones, more than any queue holds.
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t value = (uint64_t)me << 32 | i;
        gasnet_put_nbi(next, theirs + i % 1000 * 8, &value, 8);
    }
    gasnet_wait_syncnbi_puts();
    barrier();
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t got;
        memcpy(&got, mine + i * 8, 8);
        CHECK(got >> 32 == prev && (uint32_t)got % 1000 == i, "word %u is %llx", i,
              (unsigned long long)got);
    }
    barrier();
}

void test_regions(void)
{
    uint64_t a = 0, b = me + 1000, c = 0, d = me + 5;
    memset(mine, 0x55, 256);
    barrier();
    gasnet_begin_nbi_accessregion();
    gasnet_handle_t empty = gasnet_end_nbi_accessregion();
    gasnet_wait_syncnb(empty);
    gasnet_put_nbi(next, theirs + 64, &d, 8);  // not part of the region
    gasnet_begin_nbi_accessregion();
    for (int i = 0; i < 4; i++)
        gasnet_put_nbi(next, theirs + 8 * i, &b, 8);
    gasnet_get_nbi(&a, next, theirs + 128, 8);
    gasnet_handle_t apart = gasnet_get_nb(&c, next, theirs + 136, 8);
    gasnet_wait_syncnb(apart);
    gasnet_handle_t region = gasnet_end_nbi_accessregion();
    CHECK(c == 0x5555555555555555u, "get in a region: %llx", (unsigned long long)c);
    while (gasnet_try_syncnb(region) != GASNET_OK)
        gasnet_AMPoll();
    CHECK(a == 0x5555555555555555u, "get of a region: %llx", (unsigned long long)a);
    gasnet_get(&a, next, theirs + 24, 8);
    CHECK(a == b, "put of a region: %llx", (unsigned long long)a);
    gasnet_wait_syncnbi_all();
    gasnet_get(&a, next, theirs + 64, 8);
    CHECK(a == d, "put before a region: %llx", (unsigned long long)a);
    barrier();
}
