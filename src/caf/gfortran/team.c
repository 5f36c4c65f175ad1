// SPDX-License-Identifier: BSD-3-Clause
//
// Teams. A variable of type(team_type) holds a caf_team_t *.
#include "caf/gfortran/gft.h"

GFT_OLD_API void _gfortran_caf_form_team(int number, void **team, int new_index);
GFT_OLD_API void _gfortran_caf_change_team(void **team, int coselector);
GFT_OLD_API void _gfortran_caf_end_team(void **team);
GFT_OLD_API void _gfortran_caf_sync_team(void **team, int unused);
GFT_API int _gfortran_caf_team_number(void *team);
GFT_OLD_API void *_gfortran_caf_get_team(void **team);

static const caf_status_t none;
/** GCC 12 to 15 pass no stat=: where images are gone, the others change teams all the same, and
 *  learn of it by the next statement that has one. */
static const caf_status_t deaf = {.cannot_ask = true};

/** GCC 12 to 15 know no new_index=, and pass 0. */
void _gfortran_caf_form_team(int number, void **team, int new_index)
{
    GFT_ENTER();
    *team = caf_form_team(&deaf, number, new_index ? &new_index : NULL);
}

void _gfortran_caf_change_team(void **team, int coselector)
{
    GFT_ENTER();
    (void)coselector;
    caf_change_team(&deaf, caf_team_of("change team", *team));
}

void _gfortran_caf_end_team(void **team)
{
    GFT_ENTER();
    (void)team;
    caf_end_team(&deaf);
}

void _gfortran_caf_sync_team(void **team, int unused)
{
    GFT_ENTER();
    (void)unused;
    caf_sync_team(&none, caf_team_of("sync team", *team));
}

/** NULL: the current one. */
int _gfortran_caf_team_number(void *team)
{
    return (int)(team ? caf_team_of("team_number", team) : caf.team)->number;
}

void *_gfortran_caf_get_team(void **team)
{
    return team && *team ? *team : caf.team;
}
