// SPDX-License-Identifier: BSD-3-Clause
//
// Segments of a team and memory of single units: many, large, of no bytes; numbers come back, and
// freed memory returns to the system; global pointers and addresses.
#include <dash/dart/if/dart.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frame/check.h"
#include "frame/random.h"
#include "refusals.h"

enum { MANY = 300 };

static dart_global_unit_t me;
static size_t size;

static void *address_of(dart_gptr_t gptr)
{
    void *addr = &gptr;
    CHECK(dart_gptr_getaddr(gptr, &addr) == DART_OK);
    return addr;
}

/** Pages of memory objects that are mapped here. */
static long shared_kib(void)
{
    char line[512];
    long kib = 0, one;
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Pss_Shmem: %ld", &one) == 1)
            kib += one;
    if (f)
        fclose(f);
    return kib;
}

static void addresses(void)
{
    dart_gptr_t gptr;
    REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, 1000, DART_TYPE_DOUBLE, &gptr) == DART_OK);
    CHECK(gptr.segid > 0 && gptr.unitid == 0 && gptr.teamid == DART_TEAM_ALL && gptr.flags == 0 &&
          gptr.addr_or_offs.offset == 0);
    for (int unit = 0; unit < (int)size; unit++) {
        dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(unit));
        CHECK((address_of(gptr) != NULL) == (unit == me.id));
    }
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(me.id));
    double *own = (double *)address_of(gptr);
    CHECK((uintptr_t)own % 64 == 0);
    for (int i = 0; i < 1000; i++)
        own[i] = i;
    dart_gptr_incaddr(&gptr, 8 * 999);
    CHECK(*(double *)address_of(gptr) == 999);
    CHECK(dart_gptr_setaddr(&gptr, own + 5) == DART_OK && gptr.addr_or_offs.offset == 40);
    uint16_t flags = 7;
    CHECK(dart_gptr_getflags(gptr, &flags) == DART_OK && flags == 0);
    CHECK(dart_gptr_setflags(&gptr, 0x1234) == DART_OK && gptr.flags == 0x34);
    CHECK(dart_gptr_getflags(gptr, &flags) == DART_OK && flags == 0x1234);
    CHECK(dart_team_memfree(gptr) == DART_OK);
    void *addr = own;
    CHECK(dart_gptr_getaddr(gptr, &addr) == DART_ERR_INVAL && addr == NULL);
}

/** Numbers are used again, and differ while their segments live. */
static void many(void)
{
    dart_gptr_t gptrs[MANY];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MANY; i++) {
            CHECK(dart_team_memalloc_aligned(DART_TEAM_ALL, (size_t)i, DART_TYPE_INT, &gptrs[i]) ==
                  DART_OK);
            dart_gptr_setunit(&gptrs[i], DART_TEAM_UNIT_ID(me.id));
            int *own = (int *)address_of(gptrs[i]);
            for (int k = 0; k < i; k++)
                own[k] = i;
        }
        for (int i = 0; i < MANY; i++) {
            const int *own = (int *)address_of(gptrs[i]);
            CHECK(gptrs[i].segid > 0 && gptrs[i].segid <= MANY);
            CHECK(i == 0 || (own[0] == i && own[i - 1] == i));
        }
        for (int i = 0; i < MANY; i++)
            CHECK(dart_team_memfree(gptrs[(i * 7 + round) % MANY]) == DART_OK);
    }
    CHECK(dart_team_memfree(DART_GPTR_NULL) == DART_OK);
}

/** More segments than an index of the fast paths has places: each is found, also while another has
 *  its place, and none behind its end. */
static void crowded(void)
{
    enum { SEGMENTS = 1100, APART = 1024 };
    static dart_gptr_t gptrs[SEGMENTS];
    long value = 0, found;
    for (int i = 0; i < SEGMENTS; i++) {
        REQUIRE(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_LONG, &gptrs[i]) == DART_OK);
        dart_gptr_setunit(&gptrs[i], DART_TEAM_UNIT_ID(me.id));
    }
    for (long round = 0; round < 2; round++)
        for (int i = 0; i < SEGMENTS; i++) {
            value = round * SEGMENTS + i;
            CHECK(dart_put_blocking(gptrs[i], &value, 1, DART_TYPE_LONG, DART_TYPE_LONG) ==
                  DART_OK);
        }
    for (int i = 0; i < SEGMENTS; i++) {
        CHECK(dart_get_blocking(&found, gptrs[i], 1, DART_TYPE_LONG, DART_TYPE_LONG) == DART_OK);
        CHECK(found == SEGMENTS + i, "%ld instead of %d", found, SEGMENTS + i);
    }
    for (int i = 0; i < SEGMENTS - APART; i++) {
        const int other = i + APART;
        CHECK(dart_put_blocking(gptrs[i], &value, 1, DART_TYPE_LONG, DART_TYPE_LONG) == DART_OK);
        CHECK(dart_team_memfree(gptrs[i]) == DART_OK);
        CHECK(dart_get_blocking(&found, gptrs[i], 1, DART_TYPE_LONG, DART_TYPE_LONG) ==
              DART_ERR_INVAL);
        CHECK(dart_get_blocking(&found, gptrs[other], 1, DART_TYPE_LONG, DART_TYPE_LONG) ==
                  DART_OK &&
              found == SEGMENTS + other);
        CHECK(dart_team_memfree(gptrs[other]) == DART_OK);
        CHECK(dart_get_blocking(&found, gptrs[other], 1, DART_TYPE_LONG, DART_TYPE_LONG) ==
              DART_ERR_INVAL);
    }
    for (int i = SEGMENTS - APART; i < APART; i++)
        CHECK(dart_team_memfree(gptrs[i]) == DART_OK);
}

/** 8 x 32 MiB in turn, of which never more than one has pages. */
static void large(void)
{
    const size_t nbytes = (size_t)32 << 20;
    long before = shared_kib();
    for (int i = 0; i < 8; i++) {
        dart_gptr_t gptr, own;
        CHECK(dart_team_memalloc_aligned(DART_TEAM_ALL, nbytes, DART_TYPE_BYTE, &gptr) == DART_OK);
        dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(me.id));
        memset(address_of(gptr), i, nbytes);
        CHECK(dart_team_memfree(gptr) == DART_OK);
        CHECK(dart_memalloc(nbytes, DART_TYPE_BYTE, &own) == DART_OK);
        memset(address_of(own), i, nbytes);
        CHECK(dart_memfree(own) == DART_OK);
    }
    CHECK(shared_kib() - before < 16 << 10, "%ld KiB more", shared_kib() - before);
}

/** More than the 16 MiB that others have: no limit but the machine's. */
static void alone(void)
{
    dart_gptr_t gptrs[100], again;
    for (int i = 0; i < 100; i++) {
        CHECK(dart_memalloc((size_t)1 << 20, DART_TYPE_INT, &gptrs[i]) == DART_OK);
        CHECK(gptrs[i].segid == DART_SEGMENT_LOCAL && gptrs[i].unitid == me.id &&
              gptrs[i].teamid == DART_TEAM_ALL);
        *(int *)address_of(gptrs[i]) = i;
    }
    for (int i = 0; i < 100; i++) {
        CHECK(*(int *)address_of(gptrs[i]) == i);
        CHECK(dart_memfree(gptrs[i]) == DART_OK);
    }
    again = gptrs[3];
    CHECK(dart_memfree(again) == DART_ERR_INVAL);
    CHECK(dart_memalloc(0, DART_TYPE_INT, &again) == DART_OK && dart_memfree(again) == DART_OK);
}

/** Blocks of all sizes come and go: what lives keeps its bytes, what is freed gives its pages back,
 *  but for a few MiB. */
static void turnover(void)
{
    enum { LIVE = 24 };
    dart_gptr_t live[LIVE];
    size_t nbytes[LIVE] = {0}, bad = 0;
    long before = shared_kib();
    for (int i = 0; i < 500; i++) {
        const int at = (int)draw(LIVE);
        if (nbytes[at]) {
            const unsigned char *own = address_of(live[at]);
            for (size_t k = 0; k < nbytes[at]; k += 509)
                bad += own[k] != (unsigned char)(at + 1);
            CHECK(dart_memfree(live[at]) == DART_OK);
        }
        nbytes[at] = draw(4) ? 1 + draw(40000) : 1 + draw(3 << 20);
        CHECK(dart_memalloc(nbytes[at], DART_TYPE_BYTE, &live[at]) == DART_OK);
        unsigned char *own = address_of(live[at]);
        for (size_t k = 0; k < nbytes[at]; k += 509)
            own[k] = (unsigned char)(at + 1);
    }
    CHECK(bad == 0, "%zu bytes have changed", bad);
    for (int at = 0; at < LIVE; at++)
        CHECK(nbytes[at] == 0 || dart_memfree(live[at]) == DART_OK);
    CHECK(shared_kib() - before < 10 << 10, "%ld KiB more", shared_kib() - before);
}

static void refused(void)
{
    dart_gptr_t gptr;
    const size_t huge = (size_t)1 << 50;
    CHECK(dart_memalloc(huge, DART_TYPE_BYTE, &gptr) == DART_ERR_NOMEM && DART_GPTR_ISNULL(gptr));
    CHECK(dart_team_memalloc_aligned(DART_TEAM_ALL, huge, DART_TYPE_BYTE, &gptr) ==
              DART_ERR_NOMEM &&
          DART_GPTR_ISNULL(gptr));
    // on one unit only: none gets it
    CHECK(dart_team_memalloc_aligned(DART_TEAM_ALL, me.id == 0 ? huge : 8, DART_TYPE_BYTE, &gptr) ==
          DART_ERR_NOMEM);
    CHECK(dart_memalloc(SIZE_MAX / 2, DART_TYPE_LONG, &gptr) == DART_ERR_INVAL);
    CHECK(dart_memalloc(1, DART_TYPE_UNDEFINED, &gptr) == DART_ERR_INVAL);
    CHECK(dart_memalloc(1, DART_TYPE_LAST, &gptr) == DART_ERR_INVAL);
    CHECK(dart_memalloc(1, DART_TYPE_INT, NULL) == DART_ERR_INVAL);
    CHECK(dart_team_memalloc_aligned(99, 1, DART_TYPE_INT, &gptr) == DART_ERR_INVAL);
    REQUIRE(dart_memalloc(1, DART_TYPE_INT, &gptr) == DART_OK);
    CHECK(dart_team_memfree(gptr) == DART_ERR_INVAL);
    CHECK(dart_memfree(gptr) == DART_OK);
}

/** What one unit is refused is at no time missing to another of its node. */
static void beside_refusals(void)
{
    dart_gptr_t gptr;
    CHECK(dart_barrier(DART_TEAM_ALL) == DART_OK);
    for (int i = 0; i < 3000; i++)
        if (me.id % 2)
            CHECK(dart_memalloc((size_t)1 << 50, DART_TYPE_BYTE, &gptr) == DART_ERR_NOMEM);
        else
            CHECK(dart_memalloc(1, DART_TYPE_BYTE, &gptr) == DART_OK &&
                  dart_memfree(gptr) == DART_OK);
    CHECK(dart_barrier(DART_TEAM_ALL) == DART_OK);
}

int main(int argc, char **argv)
{
    refuse_without_lines();
    REQUIRE(dart_init(&argc, &argv) == DART_OK);
    dart_myid(&me);
    dart_size(&size);
    check_as("unit", me.id, (long)size);
    addresses();
    many();
    crowded();
    large();
    alone();
    turnover();
    refused();
    beside_refusals();
    dart_exit();
    return check_result();
}
