// SPDX-License-Identifier: BSD-3-Clause
//
// A hash map spread over all units that counts keys, by one-sided atomics on its slots. See
// README.md.
#define _POSIX_C_SOURCE 200809L  // clock_gettime
#include <inttypes.h>
#include <stddef.h>

#include "../13-dart-stencil/units.h"

typedef struct slot {
    uint64_t key;  // 0: free; once set it stays
    uint64_t count;
} slot_t;

typedef struct map {
    dart_gptr_t gptr;
    slot_t *own;
    uint64_t mask;  // of a unit's slots
} map_t;

/** A bijection without a visible pattern; 0 for 0 alone. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 31)) * UINT64_C(0x7FB5D329728EA185);
    x = (x ^ (x >> 27)) * UINT64_C(0x81DADEF4BC2DD44D);
    return x ^ (x >> 33);
}

// ---------------------------------------------------------------- the map
/** Slots for so many keys, at most half full if they are spread evenly. Collective. */
static void map_make(map_t *map, uint64_t nkeys)
{
    uint64_t nslots = 16;
    while (nslots < 2 * (nkeys / (uint64_t)nunits + 1))
        nslots *= 2;
    map->mask = nslots - 1;
    void *own;
    map->gptr = allocate(2 * nslots, DART_TYPE_ULONGLONG, &own);
    map->own = own;
    for (uint64_t i = 0; i < nslots; i++)
        map->own[i] = (slot_t){0, 0};
    must(dart_barrier(DART_TEAM_ALL), "dart_barrier");
}

/** The slot at which a search begins: the key itself says unit and place. */
static dart_gptr_t first_slot(const map_t *map, uint64_t key)
{
    dart_gptr_t gptr = map->gptr;
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID((int)(key % (uint64_t)nunits)));
    gptr.addr_or_offs.offset = (key / (uint64_t)nunits & map->mask) * sizeof(slot_t);
    return gptr;
}

static void next_slot(const map_t *map, dart_gptr_t *gptr)
{
    uint64_t i = gptr->addr_or_offs.offset / sizeof(slot_t);
    gptr->addr_or_offs.offset = ((i + 1) & map->mask) * sizeof(slot_t);
}

/** Adds to the key's count. A free slot is taken by compare-and-swap: of units that come with
 *  different keys one wins, of those with the same key all do. False: the unit has no free slot. */
static bool map_add(const map_t *map, uint64_t key, uint64_t count)
{
    static const uint64_t none = 0;
    dart_gptr_t slot = first_slot(map, key);
    for (uint64_t tries = 0; tries <= map->mask; tries++, next_slot(map, &slot)) {
        uint64_t found;
        must(dart_compare_and_swap(slot, &key, &none, &found, DART_TYPE_ULONGLONG),
             "dart_compare_and_swap");
        if (found != none && found != key)
            continue;
        dart_gptr_incaddr(&slot, offsetof(slot_t, count));
        must(dart_accumulate_blocking_local(slot, &count, 1, DART_TYPE_ULONGLONG, DART_OP_SUM),
             "dart_accumulate_blocking_local");
        return true;
    }
    return false;
}

/** 0: the map does not have the key. */
static uint64_t map_count(const map_t *map, uint64_t key)
{
    dart_gptr_t at = first_slot(map, key);
    for (uint64_t tries = 0; tries <= map->mask; tries++, next_slot(map, &at)) {
        slot_t slot;
        must(dart_get_blocking(&slot, at, 2, DART_TYPE_ULONGLONG, DART_TYPE_ULONGLONG),
             "dart_get_blocking");
        if (slot.key == key)
            return slot.count;
        if (slot.key == 0)
            return 0;
    }
    return 0;
}

static uint64_t map_size(const map_t *map)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i <= map->mask; i++)
        n += map->own[i].key != 0;
    return sum_of_all(n);
}

// ---------------------------------------------------------------- the program
/** Every unit adds all keys, each in an order of its own; number k has the count of k each time. */
static void add_all(const map_t *map, uint64_t nkeys)
{
    uint64_t begin = nkeys * (uint64_t)me / (uint64_t)nunits;
    for (uint64_t i = 0; i < nkeys; i++) {
        uint64_t k = 1 + (begin + i) % nkeys;
        if (!map_add(map, mix(k), k))
            must(DART_ERR_NOMEM, "map_add");
    }
    must(dart_flush_all(map->gptr), "dart_flush_all");
    must(dart_barrier(DART_TEAM_ALL), "dart_barrier");
}

/** Counts of keys, of as many that were never added, and of the slots that are taken. */
static uint64_t count_errors(const map_t *map, uint64_t nkeys)
{
    uint64_t errors = 0;
    for (uint64_t k = 1 + (uint64_t)me; k <= nkeys; k += (uint64_t)nunits) {
        errors += map_count(map, mix(k)) != k * (uint64_t)nunits;
        errors += map_count(map, mix(nkeys + k)) != 0;
    }
    uint64_t size = map_size(map);
    errors += me == 0 && size != nkeys;
    return sum_of_all(errors);
}

int main(int argc, char **argv)
{
    map_t map;
    begin(&argc, &argv);
    const uint64_t nkeys = argc > 1 ? (uint64_t)whole_number(argv[1], 1, 1 << 28) : 20000;
    if (nkeys < 1 || argc > 2)
        return refuse("hash_map [keys, 1 to 2^28]");
    map_make(&map, 2 * nkeys);
    double start = now();
    add_all(&map, nkeys);
    double seconds = now() - start;
    uint64_t errors = count_errors(&map, nkeys);
    if (me == 0) {
        const double adds = (double)nkeys * nunits;
        printf("%" PRIu64 " keys, added by each of %d units\n", nkeys, nunits);
        if (errors)
            fprintf(stderr, "hash_map: FAILED: %" PRIu64 " counts are wrong\n", errors);
        printf("RESULT program=dart-hash-map pes=%d verified=%s seconds=%.6f rate=%.6f "
               "unit=Madd/s\n",
               nunits, errors ? "no" : "yes", seconds, 1e-6 * adds / seconds);
    }
    return finish(map.gptr, errors);
}
