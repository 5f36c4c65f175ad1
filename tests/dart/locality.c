// SPDX-License-Identifier: BSD-3-Clause
//
// Where units run: the tree of a team is whole, the same on all units, and holds each unit once;
// trees that are made, copied, filtered, split, grouped; groups and teams by locality. With a
// second argument there is no hwloc.
#define _GNU_SOURCE
#include <dash/dart/if/dart.h>
#include <dash/dart/if/dart_locality.h>
#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

#include "frame/check.h"
#include "refusals.h"

typedef dart_domain_locality_t domain_t;

static dart_global_unit_t me;
static int size;
static bool without_hwloc;

void *dlopen(const char *file, int mode)
{
    void *(*real)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    return without_hwloc && file && strstr(file, "hwloc") ? NULL : real(file, mode);
}

// ---------------------------------------------------------------- trees
/** Everything in it is as its parts say. Returns a number that other trees hardly have. */
static unsigned long examine(const domain_t *d, int level)
{
    unsigned long sum = (unsigned long)d->scope + 7;
    int units = 0;
    CHECK(d->level == level && d->num_units >= 0 && (d->num_domains == 0) == !d->children);
    for (const char *c = d->domain_tag; *c; c++)
        sum = sum * 31 + (unsigned char)*c;
    for (int i = 0; i < d->num_units; i++)
        sum = sum * 31 + (unsigned long)d->unit_ids[i].id;
    for (int i = 0; i < d->num_domains; i++) {
        const domain_t *part = d->children[i];
        CHECK(part->parent == d && part->relative_index == i && part->team == d->team);
        CHECK(part->scope > d->scope || d->scope <= DART_LOCALITY_SCOPE_GROUP);
        for (int k = 0; k < part->num_units; k++)
            CHECK(part->unit_ids[k].id == d->unit_ids[units + k].id);
        units += part->num_units;
        sum = sum * 31 + examine(part, level + 1);
    }
    CHECK(d->num_domains == 0 || units == d->num_units, "%s: %d units", d->domain_tag, units);
    return sum;
}

static domain_t *find(const domain_t *top, const char *tag)
{
    domain_t *found = NULL;
    CHECK(dart_domain_find(top, tag, &found) == DART_OK && found &&
          strcmp(found->domain_tag, tag) == 0);
    return found;
}

/** Of a team: all units agree. */
static void whole(dart_team_t team, const dart_global_unit_t *units, int n)
{
    domain_t *top = NULL, *again;
    char host[256] = "";
    unsigned long least, most;
    gethostname(host, sizeof host - 1);
    REQUIRE(dart_domain_team_locality(team, ".", &top) == DART_OK && top);
    CHECK(top->scope == DART_LOCALITY_SCOPE_GLOBAL && top->num_units == n && top->team == team);
    CHECK(top->num_nodes == top->num_domains && top->num_cores >= 1);
    unsigned long sum = examine(top, 0);
    CHECK(dart_allreduce(&sum, &least, 1, DART_TYPE_ULONG, DART_OP_MIN, team) == DART_OK &&
          dart_allreduce(&sum, &most, 1, DART_TYPE_ULONG, DART_OP_MAX, team) == DART_OK &&
          least == sum && most == sum);
    for (int unit = 0; unit < n; unit++) {
        dart_unit_locality_t *loc = NULL;
        int here = 0;
        REQUIRE(dart_unit_locality(team, DART_TEAM_UNIT_ID(unit), &loc) == DART_OK && loc);
        const dart_hwinfo_t *hw = &loc->hwinfo;
        CHECK(loc->unit.id == unit && loc->team == team && strcmp(hw->host, host) == 0);
        CHECK(hw->num_cores >= 1 && hw->num_numa >= 1 && hw->numa_id >= 0 && hw->core_id >= 0 &&
              hw->cpu_id >= 0 && hw->min_threads >= 1 && hw->system_memory_bytes > 0);
        CHECK(hw->num_scopes >= 2 && hw->scopes[0].scope == DART_LOCALITY_SCOPE_CORE &&
              hw->scopes[hw->num_scopes - 1].scope == DART_LOCALITY_SCOPE_NUMA &&
              hw->scopes[0].index == hw->core_id);
        domain_t *d = find(top, loc->domain_tag);
        CHECK(d->scope == DART_LOCALITY_SCOPE_CORE && d->num_domains == 0);
        for (int i = 0; i < d->num_units; i++)
            here += d->unit_ids[i].id == units[unit].id;
        CHECK(here == 1);
        for (int i = 0; i < hw->num_scopes; i++, d = d->parent)
            CHECK(d->scope == hw->scopes[i].scope);
        CHECK(d->scope == DART_LOCALITY_SCOPE_MODULE && strcmp(d->host, host) == 0);
        CHECK(d->parent->scope == DART_LOCALITY_SCOPE_NODE && d->parent->parent == top);
    }
    CHECK(dart_domain_team_locality(team, ".0.0", &again) == DART_OK && again == find(top, ".0.0"));
    CHECK(dart_domain_team_locality(team, ".7777", &again) == DART_ERR_NOTFOUND && !again);
}

// ---------------------------------------------------------------- made by hand
static domain_t *part_of(domain_t *parent, dart_locality_scope_t scope, int unit)
{
    domain_t *made = NULL;
    REQUIRE(dart_domain_create(&made) == DART_OK && made->num_units == 0 && !made->parent);
    made->scope = scope;
    made->num_cores = 1;
    if (unit >= 0) {
        made->unit_ids = malloc(sizeof *made->unit_ids);
        made->unit_ids[0].id = unit;
        made->num_units = 1;
    }
    CHECK(dart_domain_add_subdomain(parent, made, -1) == DART_OK);
    return made;
}

/** Three nodes of four units each: .0 to .2, .0.0 to .2.3. */
static domain_t *three_nodes(void)
{
    domain_t *top = NULL;
    REQUIRE(dart_domain_create(&top) == DART_OK);
    strcpy(top->domain_tag, ".");
    top->scope = DART_LOCALITY_SCOPE_GLOBAL;
    for (int node = 0; node < 3; node++) {
        domain_t *d = part_of(top, DART_LOCALITY_SCOPE_NODE, -1);
        for (int i = 0; i < 4; i++)
            part_of(d, DART_LOCALITY_SCOPE_CORE, node * 4 + i);
    }
    examine(top, 0);
    CHECK(top->num_units == 12 && top->num_cores == 12);
    CHECK(find(top, ".1.2")->unit_ids[0].id == 6 && top->is_symmetric);
    return top;
}

static void check_units(const domain_t *d, int n, const int *units)
{
    CHECK(d->num_units == n, "%s has %d units", d->domain_tag, d->num_units);
    for (int i = 0; i < n && i < d->num_units; i++)
        CHECK(d->unit_ids[i].id == units[i]);
}
#define UNITS(d, ...) \
    check_units(d, (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)), (int[]){__VA_ARGS__})

static void filtered(void)
{
    const char *some[] = {".1", ".2.3"}, *none[] = {".9"};
    domain_t *top = three_nodes(), *copy = NULL, *found;
    CHECK(dart_domain_clone(top, &copy) == DART_OK && copy != top);
    CHECK(examine(copy, 0) == examine(top, 0));
    CHECK(dart_domain_select(copy, 2, some) == DART_OK);
    examine(copy, 0);
    UNITS(copy, 4, 5, 6, 7, 11);
    CHECK(copy->num_nodes == 2 && top->num_nodes == 3);
    CHECK(copy->num_domains == 2 && find(copy, ".2.3")->relative_index == 0);
    CHECK(dart_domain_find(copy, ".0", &found) == DART_ERR_NOTFOUND && !found);
    CHECK(!copy->is_symmetric && top->num_units == 12);
    CHECK(dart_domain_assign(copy, top) == DART_OK && examine(copy, 0) == examine(top, 0));
    CHECK(dart_domain_exclude(copy, 2, some) == DART_OK);
    examine(copy, 0);
    UNITS(copy, 0, 1, 2, 3, 8, 9, 10);
    CHECK(dart_domain_exclude(copy, 1, none) == DART_OK && copy->num_units == 7);
    CHECK(dart_domain_assign(copy, find(top, ".2")) == DART_OK);
    UNITS(copy, 8, 9, 10, 11);
    CHECK(dart_domain_destroy(copy) == DART_OK);
    // a part goes alone
    CHECK(dart_domain_destroy(find(top, ".1.0")) == DART_OK);
    examine(top, 0);
    UNITS(find(top, ".1"), 5, 6, 7);
    CHECK(top->num_units == 11 && dart_domain_destroy(top) == DART_OK);
}

static void scopes(void)
{
    int n = -1;
    domain_t *top = three_nodes(), **domains = NULL, parts[4];
    char **tags = NULL;
    CHECK(dart_domain_scope_domains(top, DART_LOCALITY_SCOPE_CORE, &n, &domains) == DART_OK);
    CHECK(n == 12 && domains[5] == find(top, ".1.1"));
    free(domains);
    CHECK(dart_domain_scope_tags(top, DART_LOCALITY_SCOPE_NODE, &n, &tags) == DART_OK && n == 3);
    for (int i = 0; i < n; i++) {
        CHECK(strcmp(tags[i], find(top, ".0")->parent->children[i]->domain_tag) == 0);
        free(tags[i]);
    }
    free(tags);
    CHECK(dart_domain_scope_domains(top, DART_LOCALITY_SCOPE_NUMA, &n, &domains) ==
              DART_ERR_NOTFOUND &&
          n == 0 && !domains);
    CHECK(dart_domain_split_scope(top, DART_LOCALITY_SCOPE_NODE, 2, parts) == DART_OK);
    UNITS(&parts[0], 0, 1, 2, 3, 4, 5, 6, 7);
    UNITS(&parts[1], 8, 9, 10, 11);
    CHECK(parts[0].num_nodes == 2 && parts[1].num_nodes == 1);
    examine(&parts[1], 0);
    for (int part = 0; part < 2; part++) {
        domain_t *copy = NULL, *empty = NULL;
        CHECK(dart_domain_clone(&parts[part], &copy) == DART_OK &&
              dart_domain_destroy(copy) == DART_OK);
        CHECK(dart_domain_create(&empty) == DART_OK &&
              dart_domain_assign(&parts[part], empty) == DART_OK &&
              dart_domain_destroy(empty) == DART_OK);
    }
    // one that has no parts
    CHECK(dart_domain_split_scope(find(top, ".1.1"), DART_LOCALITY_SCOPE_CORE, 2, parts) ==
          DART_OK);
    CHECK(parts[0].num_units == 1 && parts[1].num_units == 0 && parts[1].num_cores == 0);
    free(parts[0].unit_ids);
    CHECK(dart_domain_split_scope(top, DART_LOCALITY_SCOPE_NODE, 0, parts) == DART_ERR_INVAL);
    CHECK(dart_domain_destroy(top) == DART_OK);
}

static void groups(void)
{
    const char *nodes[] = {".0", ".2"}, *cores[] = {".0.1", ".0.2", ".1.0"};
    char tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE] = "?";
    domain_t *top = three_nodes(), *found;
    CHECK(dart_domain_group(top, 3, cores, tag) == DART_OK && strcmp(tag, ".3") == 0);
    examine(top, 0);
    domain_t *group = find(top, tag);
    CHECK(group->scope == DART_LOCALITY_SCOPE_GROUP && group->num_domains == 2);
    UNITS(group, 1, 2, 4);
    UNITS(find(top, ".0"), 0, 3);
    UNITS(find(top, ".0.3"), 3);
    UNITS(find(top, ".3.0.1"), 2);
    CHECK(top->num_units == 12);
    CHECK(dart_domain_group(top, 2, nodes, tag) == DART_OK && strcmp(tag, ".4") == 0);
    examine(top, 0);
    UNITS(find(top, ".4"), 0, 3, 8, 9, 10, 11);
    CHECK(top->num_domains == 3 && top->num_units == 12);
    CHECK(dart_domain_group(top, 2, nodes, tag) == DART_ERR_NOTFOUND && tag[0] == 0);
    CHECK(dart_domain_group(top, 0, nodes, tag) == DART_ERR_INVAL);
    CHECK(dart_domain_move_subdomain(find(top, ".1"), find(top, ".4"), 0) == DART_OK);
    examine(top, 0);
    UNITS(find(top, ".4"), 5, 6, 7, 0, 3, 8, 9, 10, 11);
    CHECK(dart_domain_find(top, ".1", &found) == DART_ERR_NOTFOUND);
    CHECK(dart_domain_move_subdomain(top, find(top, ".4"), 0) == DART_ERR_INVAL);
    CHECK(dart_domain_destroy(top) == DART_OK);
}

// ---------------------------------------------------------------- by locality
/** A team for each node; its tree has that node only. */
static void teams(int nodes)
{
    domain_t *top = NULL;
    dart_group_t all = NULL, parts[8] = {NULL};
    size_t n = 0, seen = 0;
    REQUIRE(dart_domain_team_locality(DART_TEAM_ALL, ".", &top) == DART_OK);
    CHECK(top->num_nodes == nodes);
    const char *first[] = {".0"};
    domain_t *copy = NULL;
    CHECK(dart_domain_clone(top, &copy) == DART_OK);
    CHECK(dart_domain_exclude(copy, 1, first) == DART_OK && copy->num_nodes == nodes - 1);
    CHECK(dart_domain_assign(copy, top) == DART_OK);
    CHECK(dart_domain_select(copy, 1, first) == DART_OK && copy->num_nodes == 1);
    CHECK(dart_domain_destroy(copy) == DART_OK);
    REQUIRE(dart_team_get_group(DART_TEAM_ALL, &all) == DART_OK);
    CHECK(dart_group_locality_split(all, top, DART_LOCALITY_SCOPE_NODE, 8, &n, parts) == DART_OK &&
          n == (size_t)nodes);
    for (size_t i = 0; i < n; i++) {
        dart_team_t team;
        dart_global_unit_t units[64];
        size_t members = 0;
        REQUIRE(dart_group_size(parts[i], &members) == DART_OK && members > 0 && members <= 64);
        dart_group_getmembers(parts[i], units);
        CHECK(members == (size_t)top->children[i]->num_units);
        seen += members;
        REQUIRE(dart_team_create(DART_TEAM_ALL, parts[i], &team) == DART_OK);
        if (team != DART_TEAM_NULL) {
            CHECK(dart_team_locality_init(team) == DART_OK);
            whole(team, units, (int)members);
            CHECK(dart_domain_team_locality(team, ".", &top) == DART_OK && top->num_nodes == 1);
            CHECK(dart_team_locality_finalize(team) == DART_OK);
            CHECK(dart_team_destroy(&team) == DART_OK);
        }
        dart_domain_team_locality(DART_TEAM_ALL, ".", &top);
        CHECK(dart_group_destroy(&parts[i]) == DART_OK);
    }
    CHECK(seen == (size_t)size);
    CHECK(dart_group_locality_split(all, top, DART_LOCALITY_SCOPE_NODE, 1, &n, parts) == DART_OK &&
          n == 1 && dart_group_size(parts[0], &seen) == DART_OK && seen == (size_t)size);
    CHECK(dart_group_destroy(&parts[0]) == DART_OK && dart_group_destroy(&all) == DART_OK);
}

static void refused(void)
{
    domain_t *d = NULL;
    dart_unit_locality_t *loc = NULL;
    CHECK(dart_domain_team_locality(77, ".", &d) == DART_ERR_INVAL && !d);
    CHECK(dart_unit_locality(DART_TEAM_ALL, DART_TEAM_UNIT_ID(size), &loc) == DART_ERR_INVAL);
    CHECK(dart_unit_locality(DART_TEAM_ALL, DART_TEAM_UNIT_ID(-1), &loc) == DART_ERR_INVAL);
    CHECK(dart_domain_clone(NULL, &d) == DART_ERR_INVAL &&
          dart_domain_create(NULL) == DART_ERR_INVAL);
    CHECK(dart_team_locality_init(77) == DART_ERR_INVAL);
    CHECK(dart_team_locality_finalize(77) == DART_OK);
}

int main(int argc, char **argv)
{
    refuse_without_lines();
    size_t n;
    const int nodes = argc > 1 ? atoi(argv[1]) : 1;
    without_hwloc = argc > 2;
    for (int life = 0; life < 2; life++) {
        REQUIRE(dart_init(&argc, &argv) == DART_OK);
        dart_myid(&me);
        dart_size(&n);
        size = (int)n;
        check_as("unit", me.id, size);
        dart_global_unit_t all[64];
        for (int unit = 0; unit < size; unit++)
            all[unit].id = unit;
        if (life == 0)
            CHECK(dart_team_locality_init(DART_TEAM_ALL) == DART_OK);
        whole(DART_TEAM_ALL, all, size);
        CHECK(dart_team_locality_finalize(DART_TEAM_ALL) == DART_OK);
        whole(DART_TEAM_ALL, all, size);
        filtered();
        scopes();
        groups();
        teams(nodes < size ? nodes : size);
        refused();
        CHECK(dart_exit() == DART_OK);
    }
    return check_result();
}
