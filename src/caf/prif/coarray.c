// SPDX-License-Identifier: BSD-3-Clause
//
// Cobounds, and images by cosubscripts.
#include <stdlib.h>

#include "caf/prif/prf.h"

/** What causeway_prif_cobounds gives. */
enum { LOWER, UPPER, SHAPE };

PRF_API void causeway_prif_cobounds(const prf_coarray_t *c, int which, int64_t *bounds, int n);
PRF_API int64_t causeway_prif_cobound(const prf_coarray_t *c, int which, int dim);
PRF_API void causeway_prif_cosubscripts(const prf_coarray_t *c, void *team, int64_t *sub, int n);
PRF_API int64_t causeway_prif_cosubscript(const prf_coarray_t *c, void *team, int dim);
PRF_API int causeway_prif_image_index(const prf_coarray_t *c, const int64_t *sub, int n,
                                      void *team);
PRF_API int causeway_prif_image_index_in_sibling(const prf_coarray_t *c, const int64_t *sub, int n,
                                                 int64_t number);
PRF_API int causeway_prif_initial_index(const prf_coarray_t *c, const int64_t *sub, int n,
                                        void *team, int *index_p, int *stat);
PRF_API int causeway_prif_initial_index_in_sibling(const prf_coarray_t *c, const int64_t *sub,
                                                   int n, int64_t number, int *index_p, int *stat);

static void want_corank(const char *call, const prf_coarray_t *c, int n)
{
    prf_want(call, c);
    if (n != c->corank)
        caf_fatal(call, "%d cosubscripts or cobounds for a coarray of corank %d", n, c->corank);
}

static void want_dim(const char *call, const prf_coarray_t *c, int dim)
{
    prf_want(call, c);
    if (dim < 1 || dim > c->corank)
        caf_fatal(call, "dim= is %d for a coarray of corank %d", dim, c->corank);
}

/** Of a codimension before the last one. */
static int64_t extent(const prf_coarray_t *c, int i)
{
    return prf_upper(c)[i] - prf_lower(c)[i] + 1;
}

/** The last cosubscripts that images of the current team have, from the lower cobound on. */
static int64_t last_extent(const prf_coarray_t *c)
{
    const int64_t nimages = caf.group->size;
    int64_t before = 1;
    for (int i = 0; i + 1 < c->corank && before < nimages; i++)
        before *= extent(c, i) < nimages ? extent(c, i) : nimages;
    return (nimages + before - 1) / before;
}

static int64_t bound(const prf_coarray_t *c, int which, int i)
{
    const int64_t lower = prf_lower(c)[i];
    if (which == LOWER)
        return lower;
    const int64_t n = i + 1 < c->corank ? extent(c, i) : last_extent(c);
    return which == UPPER ? lower + (n - 1) : n;
}

void causeway_prif_cobounds(const prf_coarray_t *c, int which, int64_t *bounds, int n)
{
    PRF_ENTER("prif_cobounds");
    want_corank("a query of cobounds", c, n);
    for (int i = 0; i < n; i++)
        bounds[i] = bound(c, which, i);
}

int64_t causeway_prif_cobound(const prf_coarray_t *c, int which, int dim)
{
    PRF_ENTER("prif_cobounds");
    want_dim("a query of a cobound", c, dim);
    return bound(c, which, dim - 1);
}

static int64_t cosubscript(const prf_coarray_t *c, int64_t rank, int i)
{
    for (int k = 0; k < i; k++)
        rank /= extent(c, k);
    return prf_lower(c)[i] + (i + 1 < c->corank ? rank % extent(c, i) : rank);
}

/** Those of this image, as a member of the team. */
void causeway_prif_cosubscripts(const prf_coarray_t *c, void *team, int64_t *sub, int n)
{
    PRF_ENTER("prif_this_image_with_coarray");
    want_corank("prif_this_image_with_coarray", c, n);
    const int64_t rank = caf_team_of("prif_this_image_with_coarray", team)->group->rank;
    for (int i = 0; i < n; i++)
        sub[i] = cosubscript(c, rank, i);
}

int64_t causeway_prif_cosubscript(const prf_coarray_t *c, void *team, int dim)
{
    PRF_ENTER("prif_this_image_with_dim");
    want_dim("prif_this_image_with_dim", c, dim);
    return cosubscript(c, caf_team_of("prif_this_image_with_dim", team)->group->rank, dim - 1);
}

/** Of a team with that many images; 0: none. */
static int index_of(const char *call, const prf_coarray_t *c, const int64_t *sub, int n,
                    int nimages)
{
    want_corank(call, c, n);
    uint64_t index = 0;
    for (int i = n - 1; i >= 0; i--) {
        const bool is_last = i + 1 == c->corank;  // its upper cobound is the team's
        if (sub[i] < prf_lower(c)[i] || (!is_last && sub[i] > prf_upper(c)[i]))
            return 0;
        if (index > 0 && extent(c, i) > nimages)
            return 0;
        const uint64_t at = (uint64_t)sub[i] - (uint64_t)prf_lower(c)[i];
        if (at >= (uint64_t)nimages)
            return 0;
        index = (is_last ? 0 : index * (uint64_t)extent(c, i)) + at;
        if (index >= (uint64_t)nimages)
            return 0;
    }
    return (int)index + 1;
}

int causeway_prif_image_index(const prf_coarray_t *c, const int64_t *sub, int n, void *team)
{
    PRF_ENTER("prif_image_index");
    return index_of("prif_image_index", c, sub, n,
                    caf_team_of("prif_image_index", team)->group->size);
}

/** The PEs of a sibling, or of the initial team; the caller frees. 0: reported. */
static int want_sibling(const caf_status_t *status, const char *call, int64_t number, int **pes_p)
{
    const cw_group_t *initial = caf.initial.group;
    *pes_p = NULL;
    if (number == caf.initial.number)
        return initial->size;  // all in their order
    const int n = caf_find_sibling(number, pes_p);
    if (n == 0)
        caf_fail(status, CAF_ERROR, call, "no team beside the current one has number %lld",
                 (long long)number);
    return n;
}

int causeway_prif_image_index_in_sibling(const prf_coarray_t *c, const int64_t *sub, int n,
                                         int64_t number)
{
    PRF_ENTER("prif_image_index_with_team_number");
    static const caf_status_t none;
    int *pes;
    const int nimages = want_sibling(&none, "prif_image_index_with_team_number", number, &pes);
    free(pes);
    return index_of("prif_image_index_with_team_number", c, sub, n, nimages);
}

/** pe: -1 for no image. */
static int give_index(int pe, int *index_p, int *stat)
{
    const caf_status_t status = prf_status(stat);
    *index_p = pe + 1;
    if (pe >= 0)
        caf_succeed(&status);
    else
        caf_fail(&status, CAF_ERROR, "image selector", "the cosubscripts are those of no image");
    return prf_outcome(stat);
}

int causeway_prif_initial_index(const prf_coarray_t *c, const int64_t *sub, int n, void *team,
                                int *index_p, int *stat)
{
    PRF_ENTER("prif_initial_team_index");
    const cw_group_t *group = caf_team_of("prif_initial_team_index", team)->group;
    const int image = index_of("prif_initial_team_index", c, sub, n, group->size);
    return give_index(image ? cw_group_pe(group, image - 1) : -1, index_p, stat);
}

int causeway_prif_initial_index_in_sibling(const prf_coarray_t *c, const int64_t *sub, int n,
                                           int64_t number, int *index_p, int *stat)
{
    PRF_ENTER("prif_initial_team_index_with_team_number");
    static const char call[] = "prif_initial_team_index_with_team_number";
    const caf_status_t status = prf_status(stat);
    int *pes;
    const int nimages = want_sibling(&status, call, number, &pes);
    *index_p = 0;
    if (nimages == 0)
        return prf_outcome(stat);
    const int image = index_of(call, c, sub, n, nimages);
    const int pe = image == 0 ? -1 : pes ? pes[image - 1] : image - 1;
    free(pes);
    return give_index(pe, index_p, stat);
}
