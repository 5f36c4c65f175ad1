// SPDX-License-Identifier: BSD-3-Clause
//
// Images: numbers, those that are gone, SYNC statements.
#include "caf/gone.h"
#include "caf/prif/prf.h"

PRF_API int causeway_prif_num_images(void *team);
PRF_API int causeway_prif_this_image(void *team);
PRF_API int causeway_prif_image_status(int image, void *team);
PRF_API int causeway_prif_gone_images(bool failed, void *team, int *list);
PRF_API int causeway_prif_sync_all(int *stat);
PRF_API int causeway_prif_sync_images(const int *images, int nimages, int *stat);
PRF_API int causeway_prif_sync_memory(int *stat);
PRF_API int causeway_prif_sync_team(void *team, int *stat);

int causeway_prif_num_images(void *team)
{
    PRF_ENTER("prif_num_images");
    return caf_team_of("prif_num_images", team)->group->size;
}

int causeway_prif_this_image(void *team)
{
    PRF_ENTER("prif_this_image");
    return caf_team_of("prif_this_image", team)->group->rank + 1;
}

int causeway_prif_image_status(int image, void *team)
{
    PRF_ENTER("prif_image_status");
    static const caf_status_t none;
    int pe = 0;
    caf_want_pe(&none, "prif_image_status", caf_team_of("prif_image_status", team)->group, image,
                &pe);
    const caf_code_t code = caf_image_state(pe);
    caf_tell_end(pe, code);
    return prf_door.stat[code];
}

/** The images of the team that have failed, or stopped: how many. list: room for all of them. */
int causeway_prif_gone_images(bool failed, void *team, int *list)
{
    PRF_ENTER(failed ? "prif_failed_images" : "prif_stopped_images");
    const cw_group_t *group = caf_team_of("prif_failed_images", team)->group;
    const caf_code_t code = failed ? CAF_FAILED : CAF_STOPPED;
    int n = 0;
    for (int rank = 0; rank < group->size; rank++)
        if (caf_image_state(cw_group_pe(group, rank)) == code) {
            caf_tell_end(cw_group_pe(group, rank), code);
            list[n++] = rank + 1;
        }
    return n;
}

static CW_NOINLINE int sync_all(int *stat)
{
    PRF_ENTER("prif_sync_all");
    const caf_status_t status = prf_status(stat);
    caf_sync_all(&status);
    return prf_outcome(stat);
}

int causeway_prif_sync_all(int *stat)
{
    if (CW_UNLIKELY(!caf.plain || stat))
        return sync_all(stat);
    caf_sync_team_plainly();
    return 0;
}

static CW_NOINLINE int sync_images(const int *images, int nimages, int *stat)
{
    PRF_ENTER("prif_sync_images");
    const caf_status_t status = prf_status(stat);
    if (nimages < 0)
        caf_sync_every_image(&status);
    else
        caf_sync_images(&status, images, nimages);
    return prf_outcome(stat);
}

/** nimages: -1 for all of the team. */
int causeway_prif_sync_images(const int *images, int nimages, int *stat)
{
    if (CW_UNLIKELY(nimages != 1 || stat || !caf.plain))
        return sync_images(images, nimages, stat);
    caf_sync_image(*images);
    return 0;
}

static CW_NOINLINE int sync_memory(int *stat)
{
    PRF_ENTER("prif_sync_memory");
    const caf_status_t status = prf_status(stat);
    caf_sync_memory(&status);
    return 0;
}

int causeway_prif_sync_memory(int *stat)
{
    if (CW_UNLIKELY(!caf.plain))
        return sync_memory(stat);
    if (stat)
        *stat = 0;
    caf_sync_own_memory();
    return 0;
}

int causeway_prif_sync_team(void *team, int *stat)
{
    PRF_ENTER("prif_sync_team");
    const caf_status_t status = prf_status(stat);
    caf_team_t *formed = caf_want_team(&status, "prif_sync_team", team);
    if (formed)
        caf_sync_team(&status, formed);
    return prf_outcome(stat);
}
