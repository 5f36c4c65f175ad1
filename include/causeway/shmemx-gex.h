/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Teams of OpenSHMEM from teams of GASNet-EX. Included by shmemx.h where gasnetex.h was included
 * before. */
#ifndef CAUSEWAY_SHMEMX_GEX_H
#define CAUSEWAY_SHMEMX_GEX_H

#include <stdint.h>
#include <stdlib.h>

/** Words of all members, by AND and by MAX. */
static inline int shmemx_gex_combine(void *arg, uint64_t *and_words, int nand, uint64_t *max_words,
                                     int nmax)
{
    gex_TM_t tm = (gex_TM_t)arg;
    gex_Event_t both[2];
    both[0] = gex_Coll_ReduceToAllNB(tm, and_words, and_words, GEX_DT_U64, sizeof *and_words,
                                     (size_t)nand, GEX_OP_AND, NULL, NULL, 0);
    both[1] = gex_Coll_ReduceToAllNB(tm, max_words, max_words, GEX_DT_U64, sizeof *max_words,
                                     (size_t)nmax, GEX_OP_MAX, NULL, NULL, 0);
    gex_Event_WaitAll(both, 2, 0);
    return 0;
}

static inline int shmemx_team_from_gex_tm(gex_TM_t tm, shmem_team_t *team)
{
    gex_Rank_t n = gex_TM_QuerySize(tm);
    int rc, *pes = (int *)malloc(n * sizeof *pes); /* NULL: the call below tells the others */
    for (gex_Rank_t rank = 0; pes && rank < n; rank++)
        pes[rank] = (int)gex_TM_TranslateRankToJobrank(tm, rank);
    rc = shmemx_team_of_members(pes, (int)n, shmemx_gex_combine, (void *)tm, team);
    free(pes);
    return rc;
}

#endif
