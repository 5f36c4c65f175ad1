// SPDX-License-Identifier: BSD-3-Clause
//
// Teams. The info of a prif_team_type is a caf_team_t.
#include <stdlib.h>

#include "caf/prif/prf.h"

PRF_API int causeway_prif_form_team(int64_t number, const int *new_index, void **team_p, int *stat);
PRF_API int causeway_prif_change_team(void *team, int *stat);
PRF_API int causeway_prif_end_team(int *stat);
PRF_API void *causeway_prif_get_team(int level);
PRF_API int64_t causeway_prif_team_number(void *team);
PRF_API int causeway_prif_sibling_size(int64_t number);

/** new_index: NULL for any. */
int causeway_prif_form_team(int64_t number, const int *new_index, void **team_p, int *stat)
{
    PRF_ENTER("prif_form_team");
    const caf_status_t status = prf_status(stat);
    *team_p = caf_form_team(&status, number, new_index);
    return prf_outcome(stat);
}

int causeway_prif_change_team(void *team, int *stat)
{
    PRF_ENTER("prif_change_team");
    const caf_status_t status = prf_status(stat);
    caf_team_t *formed = caf_want_team(&status, "prif_change_team", team);
    if (formed)
        caf_change_team(&status, formed);
    return prf_outcome(stat);
}

int causeway_prif_end_team(int *stat)
{
    PRF_ENTER("prif_end_team");
    const caf_status_t status = prf_status(stat);
    caf_end_team(&status);
    return prf_outcome(stat);
}

void *causeway_prif_get_team(int level)
{
    PRF_ENTER("prif_get_team");
    switch (level) {
    case PRF_CURRENT_TEAM:
        return caf.team;
    case PRF_INITIAL_TEAM:
        return &caf.initial;
    case PRF_PARENT_TEAM:
        return caf.team->parent && !caf.team->again ? caf.team->parent : caf.team;
    default:
        caf_fatal("prif_get_team", "there is no level %d of teams", level);
    }
}

int64_t causeway_prif_team_number(void *team)
{
    PRF_ENTER("prif_team_number");
    return caf_team_of("prif_team_number", team)->number;
}

/** 0: there is no sibling of that number. */
int causeway_prif_sibling_size(int64_t number)
{
    PRF_ENTER("prif_num_images_with_team_number");
    if (number == caf.initial.number)
        return caf.initial.group->size;
    int *pes = NULL;
    const int n = caf_find_sibling(number, &pes);
    free(pes);
    if (n == 0)
        caf_fatal("prif_num_images_with_team_number",
                  "no team beside the current one has number %lld", (long long)number);
    return n;
}
