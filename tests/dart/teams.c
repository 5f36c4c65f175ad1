// SPDX-License-Identifier: BSD-3-Clause
//
// Groups against plain sets; teams of all kinds, nested and overlapping, with memory of their own;
// thousands of teams in turn, until their numbers come again, and many at a time. Arguments: how
// many, and who has several threads, "threads" (all) or "odd" (units with odd numbers).
#include <dash/dart/if/dart.h>

#include "frame/check.h"
#include "frame/random.h"
#include "refusals.h"

static dart_global_unit_t me;
static int size;

static dart_group_t group_of(uint64_t set)
{
    dart_group_t group;
    REQUIRE(dart_group_create(&group) == DART_OK);
    for (int unit = size - 1; unit >= 0; unit--)
        if (set >> unit & 1)
            CHECK(dart_group_addmember(group, DART_GLOBAL_UNIT_ID(unit)) == DART_OK);
    return group;
}

/** The set of a group, whose members must ascend. */
static uint64_t set_of(dart_group_t group)
{
    size_t n;
    dart_global_unit_t units[64];
    uint64_t set = 0;
    CHECK(dart_group_size(group, &n) == DART_OK && dart_group_getmembers(group, units) == DART_OK);
    for (size_t i = 0; i < n; i++) {
        CHECK(i == 0 || units[i - 1].id < units[i].id);
        set |= UINT64_C(1) << units[i].id;
    }
    return set;
}

static void groups(void)
{
    const uint64_t all = (UINT64_C(1) << size) - 1;
    for (int round = 0; round < 50; round++) {
        uint64_t a = draw(all + 1), b = draw(all + 1);
        dart_group_t ga = group_of(a), gb = group_of(b), both, either, copy;
        CHECK(set_of(ga) == a && set_of(gb) == b);
        CHECK(dart_group_union(ga, gb, &either) == DART_OK && set_of(either) == (a | b));
        CHECK(dart_group_intersect(ga, gb, &both) == DART_OK && set_of(both) == (a & b));
        CHECK(dart_group_clone(ga, &copy) == DART_OK && set_of(copy) == a);
        int unit = (int)draw((uint64_t)size);
        int32_t is;
        CHECK(dart_group_delmember(copy, DART_GLOBAL_UNIT_ID(unit)) == DART_OK);
        CHECK(set_of(copy) == (a & ~(UINT64_C(1) << unit)) && set_of(ga) == a);
        CHECK(dart_group_ismember(ga, DART_GLOBAL_UNIT_ID(unit), &is) == DART_OK &&
              is == (int)(a >> unit & 1));
        CHECK(dart_group_addmember(ga, DART_GLOBAL_UNIT_ID(size)) == DART_ERR_INVAL);
        size_t n = 1 + draw(5), got;
        dart_group_t parts[5];
        uint64_t together = 0;
        CHECK(dart_group_split(gb, n, &got, parts) == DART_OK && got <= n);
        for (size_t i = 0; i < n; i++) {
            CHECK((parts[i] != DART_GROUP_NULL) == (i < got));
            if (i < got) {
                CHECK(set_of(parts[i]) > together);
                together |= set_of(parts[i]);
            }
            CHECK(dart_group_destroy(&parts[i]) == DART_OK && !parts[i]);
        }
        CHECK(together == b);
        dart_group_t made[] = {ga, gb, both, either, copy};
        for (int i = 0; i < 5; i++)
            CHECK(dart_group_destroy(&made[i]) == DART_OK && !made[i]);
    }
    dart_group_t none = DART_GROUP_NULL;
    size_t n;
    CHECK(dart_group_size(none, &n) == DART_ERR_INVAL && dart_group_destroy(&none) == DART_OK);
}

/** The team has those members, and memory of its own that they reach. */
static void use(dart_team_t team, uint64_t set)
{
    dart_group_t group;
    dart_gptr_t gptr;
    dart_team_unit_t mine;
    dart_global_unit_t global;
    size_t n;
    CHECK(dart_team_get_group(team, &group) == DART_OK && set_of(group) == set);
    dart_group_destroy(&group);
    CHECK(dart_team_size(team, &n) == DART_OK && n == (size_t)__builtin_popcountll(set));
    CHECK(dart_team_myid(team, &mine) == DART_OK);
    CHECK(mine.id == __builtin_popcountll(set & ((UINT64_C(1) << me.id) - 1)));
    CHECK(dart_team_unit_l2g(team, mine, &global) == DART_OK && global.id == me.id);
    for (int unit = 0; unit < size; unit++) {
        dart_team_unit_t local;
        CHECK(dart_team_unit_g2l(team, DART_GLOBAL_UNIT_ID(unit), &local) == DART_OK);
        CHECK((local.id >= 0) == (int)(set >> unit & 1));
    }
    REQUIRE(dart_team_memalloc_aligned(team, 1, DART_TYPE_INT, &gptr) == DART_OK);
    CHECK(gptr.teamid == team && gptr.unitid == 0);
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID((mine.id + 1) % (int)n));
    int value = me.id, left = -1;
    CHECK(dart_put_blocking(gptr, &value, 1, DART_TYPE_INT, DART_TYPE_INT) == DART_OK);
    CHECK(dart_barrier(team) == DART_OK);
    dart_gptr_setunit(&gptr, mine);
    CHECK(dart_get_blocking(&left, gptr, 1, DART_TYPE_INT, DART_TYPE_INT) == DART_OK);
    CHECK(dart_team_unit_l2g(team, DART_TEAM_UNIT_ID((mine.id + (int)n - 1) % (int)n), &global) ==
              DART_OK &&
          left == global.id);
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID((int)n));
    CHECK(dart_put_blocking(gptr, &value, 1, DART_TYPE_INT, DART_TYPE_INT) == DART_ERR_INVAL);
    CHECK(dart_team_memfree(gptr) == DART_OK);
}

static dart_team_t create(dart_team_t parent, uint64_t set)
{
    dart_group_t group = group_of(set);
    dart_team_t team = 99;
    const int member = (int)(set >> me.id & 1);
    // who is no member may pass nothing
    CHECK(dart_team_create(parent, member || set & 1 ? group : DART_GROUP_NULL, &team) == DART_OK);
    CHECK((team != DART_TEAM_NULL) == member && team != DART_TEAM_ALL);
    dart_group_destroy(&group);
    return team;
}

static void destroy(dart_team_t *team)
{
    CHECK(dart_team_destroy(team) == DART_OK && *team == DART_TEAM_NULL);
}

static void nested(void)
{
    const uint64_t all = (UINT64_C(1) << size) - 1, odd = all & 0xaaaaaaaaaaaaaaaa,
                   even = all & ~odd;
    dart_team_t evens = create(DART_TEAM_ALL, even), odds = create(DART_TEAM_ALL, odd),
                mine = me.id % 2 ? odds : evens, clone = DART_TEAM_NULL, first = DART_TEAM_NULL;
    CHECK(mine != DART_TEAM_NULL);
    use(mine, me.id % 2 ? odd : even);
    CHECK(dart_team_clone(mine, &clone) == DART_OK && clone != mine);
    use(clone, me.id % 2 ? odd : even);
    // both halves at a time, each with its first unit
    first = create(mine, me.id % 2 ? 2 : 1);
    if (first != DART_TEAM_NULL)
        use(first, me.id % 2 ? 2 : 1);
    destroy(&first);
    destroy(&mine);
    use(clone, me.id % 2 ? odd : even);
    destroy(&clone);
    dart_team_t none = create(DART_TEAM_ALL, 0);
    CHECK(none == DART_TEAM_NULL);
    destroy(&none);
}

/** A group with a unit outside of the parent: all units get the code. */
static void refused(void)
{
    const uint64_t all = (UINT64_C(1) << size) - 1;
    dart_team_t some = create(DART_TEAM_ALL, 1), bad = 5, world = DART_TEAM_ALL;
    if (some != DART_TEAM_NULL && size > 1) {
        dart_group_t group = group_of(all);
        CHECK(dart_team_create(some, group, &bad) == DART_ERR_INVAL && bad == DART_TEAM_NULL);
        dart_group_destroy(&group);
    }
    dart_team_t gone = some;
    destroy(&some);
    if (gone != DART_TEAM_NULL)
        CHECK(dart_team_destroy(&gone) == DART_ERR_INVAL && dart_barrier(gone) == DART_ERR_INVAL);
    CHECK(dart_team_destroy(&world) == DART_ERR_INVAL && world == DART_TEAM_ALL);
}

static void thousands(int times)
{
    const uint64_t all = (UINT64_C(1) << size) - 1;
    dart_team_t kept[40], old = create(DART_TEAM_ALL, all);
    const dart_team_t number = old;
    for (int i = 0; i < 40; i++)
        kept[i] = create(DART_TEAM_ALL, draw(all) + 1);
    for (int i = 0; i < times; i++) {
        dart_group_t group;
        dart_team_t team;
        CHECK(dart_team_get_group(DART_TEAM_ALL, &group) == DART_OK);
        CHECK(dart_team_create(DART_TEAM_ALL, group, &team) == DART_OK && team > 0 && team != old);
        for (int k = 0; k < 40; k++)
            CHECK(team != kept[k]);
        if (i % 1000 == 0)
            use(team, all);
        dart_group_destroy(&group);
        destroy(&team);
    }
    CHECK(old == number);
    use(old, all);
    for (int i = 0; i < 40; i++)
        destroy(&kept[i]);
    destroy(&old);
}

int main(int argc, char **argv)
{
    refuse_without_lines();
    size_t units;
    int times = argc > 1 ? atoi(argv[1]) : 3000;
    const char *who = argc > 2 ? argv[2] : "none", *unit = getenv("OSHRUN_PE");
    dart_thread_support_level_t level;
    if (!strcmp(who, "threads") || (!strcmp(who, "odd") && unit && atoi(unit) % 2))
        REQUIRE(dart_init_thread(&argc, &argv, &level) == DART_OK);
    else
        REQUIRE(dart_init(&argc, &argv) == DART_OK);
    dart_myid(&me);
    dart_size(&units);
    size = (int)units;
    check_as("unit", me.id, size);
    groups();  // the same on all units
    nested();
    refused();
    thousands(times);
    // some are left to the end
    create(DART_TEAM_ALL, 1);
    CHECK(dart_exit() == DART_OK);
    return check_result();
}
