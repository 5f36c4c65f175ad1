// SPDX-License-Identifier: BSD-3-Clause
//
// Groups. No call communicates.
#include "dart/group.h"

#include <stdlib.h>
#include <string.h>

dart_group_t drt_group_make(size_t n)
{
    dart_group_t group = malloc(sizeof *group);
    dart_unit_t *units = malloc((n ? n : 1) * sizeof *units);
    if (!group || !units) {
        free(group);
        free(units);
        return NULL;
    }
    *group = (struct dart_group_struct){.capacity = n ? n : 1, .units = units};
    return group;
}

static dart_ret_t give(const char *call, dart_group_t made, dart_group_t *group)
{
    *group = made;
    return made ? DART_OK : drt_refuse(call, DART_ERR_NOMEM, "there is no memory for a group");
}

/** Where the unit is, or belongs. */
static size_t find(const dart_group_t group, dart_unit_t unit)
{
    size_t from = 0, to = group->n;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (group->units[mid] < unit)
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

static bool has(const dart_group_t group, dart_unit_t unit)
{
    size_t at = find(group, unit);
    return at < group->n && group->units[at] == unit;
}

DRT_API dart_ret_t dart_group_create(dart_group_t *group)
{
    DRT_WANT(group);
    return give(__func__, drt_group_make(0), group);
}

DRT_API dart_ret_t dart_group_destroy(dart_group_t *group)
{
    DRT_WANT(group);
    if (*group) {
        free((*group)->units);
        free(*group);
        *group = DART_GROUP_NULL;
    }
    return DART_OK;
}

DRT_API dart_ret_t dart_group_clone(const dart_group_t gin, dart_group_t *gout)
{
    DRT_WANT(gout);
    *gout = DART_GROUP_NULL;
    DRT_WANT(gin);
    dart_group_t made = drt_group_make(gin->n);
    for (size_t i = 0; made && i < gin->n; i++)
        drt_group_append(made, gin->units[i]);
    return give(__func__, made, gout);
}

DRT_API dart_ret_t dart_group_union(const dart_group_t g1, const dart_group_t g2,
                                    dart_group_t *gout)
{
    DRT_WANT(gout);
    *gout = DART_GROUP_NULL;
    DRT_WANT(g1);
    DRT_WANT(g2);
    dart_group_t made = drt_group_make(g1->n + g2->n);
    for (size_t i = 0, k = 0; made && (i < g1->n || k < g2->n);) {
        if (k == g2->n || (i < g1->n && g1->units[i] < g2->units[k])) {
            drt_group_append(made, g1->units[i++]);
            continue;
        }
        i += i < g1->n && g1->units[i] == g2->units[k];
        drt_group_append(made, g2->units[k++]);
    }
    return give(__func__, made, gout);
}

DRT_API dart_ret_t dart_group_intersect(const dart_group_t g1, const dart_group_t g2,
                                        dart_group_t *gout)
{
    DRT_WANT(gout);
    *gout = DART_GROUP_NULL;
    DRT_WANT(g1);
    DRT_WANT(g2);
    dart_group_t made = drt_group_make(g1->n);
    for (size_t i = 0; made && i < g1->n; i++)
        if (has(g2, g1->units[i]))
            drt_group_append(made, g1->units[i]);
    return give(__func__, made, gout);
}

DRT_API dart_ret_t dart_group_addmember(dart_group_t g, dart_global_unit_t unitid)
{
    DRT_WANT(g);
    DRT_TEAM(all, DART_TEAM_ALL);
    if (!drt_is_member(all, unitid.id))
        return drt_refuse_unit(__func__, unitid.id, all);
    size_t at = find(g, unitid.id);
    if (has(g, unitid.id))
        return DART_OK;
    if (g->n == g->capacity) {
        dart_unit_t *units = realloc(g->units, 2 * g->capacity * sizeof *units);
        if (!units)
            return drt_refuse(__func__, DART_ERR_NOMEM, "there is no memory for one more unit");
        g->units = units;
        g->capacity *= 2;
    }
    memmove(&g->units[at + 1], &g->units[at], (g->n - at) * sizeof *g->units);
    g->units[at] = unitid.id;
    g->n++;
    return DART_OK;
}

DRT_API dart_ret_t dart_group_delmember(dart_group_t g, dart_global_unit_t unitid)
{
    DRT_WANT(g);
    size_t at = find(g, unitid.id);
    if (has(g, unitid.id)) {
        g->n--;
        memmove(&g->units[at], &g->units[at + 1], (g->n - at) * sizeof *g->units);
    }
    return DART_OK;
}

DRT_API dart_ret_t dart_group_ismember(const dart_group_t g, dart_global_unit_t unitid,
                                       int32_t *ismember)
{
    DRT_WANT(ismember);
    *ismember = 0;
    DRT_WANT(g);
    *ismember = has(g, unitid.id);
    return DART_OK;
}

DRT_API dart_ret_t dart_group_size(const dart_group_t g, size_t *size)
{
    DRT_WANT(size);
    DRT_WANT(g);
    *size = g->n;
    return DART_OK;
}

DRT_API dart_ret_t dart_group_getmembers(const dart_group_t g, dart_global_unit_t *unitids)
{
    DRT_WANT(g);
    DRT_WANT(unitids);
    for (size_t i = 0; i < g->n; i++)
        unitids[i].id = g->units[i];
    return DART_OK;
}

/** Parts of one size; the last one may be smaller, and there may be fewer than n. */
DRT_API dart_ret_t dart_group_split(const dart_group_t g, size_t n, size_t *nout,
                                    dart_group_t *gout)
{
    DRT_WANT(g);
    DRT_WANT(nout);
    DRT_WANT(gout);
    *nout = 0;
    if (n == 0)
        return drt_refuse(__func__, DART_ERR_INVAL, "0 parts");
    size_t each = (g->n + n - 1) / n;
    for (size_t part = 0; part < n; part++) {
        gout[part] = DART_GROUP_NULL;
        if (part * each >= g->n)
            continue;
        dart_ret_t rc = give(__func__, drt_group_make(each), &gout[part]);
        if (rc != DART_OK)
            return rc;
        for (size_t i = part * each; i < g->n && i < (part + 1) * each; i++)
            drt_group_append(gout[part], g->units[i]);
        ++*nout;
    }
    return DART_OK;
}
