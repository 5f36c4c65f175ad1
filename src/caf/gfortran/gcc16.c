// SPDX-License-Identifier: BSD-3-Clause
//
// Image control, teams, and accesses with teams as gfortran 16 asks for them.
#include "caf/gfortran/gcc16.h"

#include <stdlib.h>
#include <string.h>

#include "caf/gfortran/accessor.h"

static const cw_group_t *group_of(const char *call, void *team)
{
    return team ? caf_team_of(call, team)->group : caf.group;
}

static int size_of_sibling(int32_t number)
{
    int *pes, n = caf_find_sibling(number, &pes);
    if (n == 0)
        caf_fatal("num_images", "there is no team number %d beside the current one", number);
    free(pes);
    return n;
}

int causeway_caf16_this_image(void *team)
{
    return group_of("this_image", team)->rank + 1;
}

int causeway_caf16_num_images(void *team, const int32_t *number)
{
    if (!number || *number == caf.team->number)
        return group_of("num_images", team)->size;
    return *number == -1 ? caf.initial.group->size : size_of_sibling(*number);
}

/** Of a constant the compiler passes the address of its address, both of the stack: the number that
 *  stands there is none of an image. */
static const int *right_index(const int *new_index)
{
    enum { STACK = 8 << 20 };
    uintptr_t word;
    if (!new_index || (*new_index >= 1 && *new_index <= caf_num_images()) ||
        (uintptr_t)new_index % sizeof word != 0)
        return new_index;
    memcpy(&word, new_index, sizeof word);
    const bool is_near = word - (uintptr_t)new_index + STACK < 2 * (uintptr_t)STACK;
    return is_near ? (const int *)word : new_index;
}

void causeway_caf16_form_team(int number, void **team, const int *new_index, int *stat,
                              char *errmsg, size_t errmsg_nbytes)
{
    GFT_ENTER();
    const caf_status_t status = gft_status(stat, errmsg, errmsg_nbytes);
    caf_team_t *formed = caf_form_team(&status, number, right_index(new_index));
    if (formed)
        *team = formed;
}

void causeway_caf16_change_team(void *team, int *stat, char *errmsg, size_t errmsg_nbytes)
{
    GFT_ENTER();
    const caf_status_t status = gft_status(stat, errmsg, errmsg_nbytes);
    caf_team_t *formed = caf_want_team(&status, "change team", team);
    if (formed)
        caf_change_team(&status, formed);
}

void causeway_caf16_end_team(int *stat, char *errmsg, size_t errmsg_nbytes)
{
    GFT_ENTER();
    const caf_status_t status = gft_status(stat, errmsg, errmsg_nbytes);
    caf_end_team(&status);
}

void causeway_caf16_sync_team(void *team, int *stat, char *errmsg, size_t errmsg_nbytes)
{
    GFT_ENTER();
    const caf_status_t status = gft_status(stat, errmsg, errmsg_nbytes);
    caf_team_t *formed = caf_want_team(&status, "sync team", team);
    if (formed)
        caf_sync_team(&status, formed);
}

void causeway_caf16_sync_all(int *stat, char *errmsg, size_t errmsg_nbytes)
{
    GFT_ENTER();
    const caf_status_t status = gft_status(stat, errmsg, errmsg_nbytes);
    gft_sync_all(&status);
}

void causeway_caf16_sync_memory(int *stat, char *errmsg, size_t errmsg_nbytes)
{
    GFT_ENTER();
    const caf_status_t status = gft_status(stat, errmsg, errmsg_nbytes);
    caf_sync_memory(&status);
}

void causeway_caf16_sync_images(int count, const int *images, int *stat, char *errmsg,
                                size_t errmsg_nbytes)
{
    if (CW_LIKELY(gft_syncs_one(count, stat))) {
        caf_sync_image(*images);
        return;
    }
    GFT_ENTER();
    const caf_status_t status = gft_status(stat, errmsg, errmsg_nbytes);
    gft_sync_images(&status, count, images);
}

void *causeway_caf16_get_team(const int32_t *level)
{
    enum { INITIAL, PARENT };
    if (level && *level == INITIAL)
        return &caf.initial;
    if (level && *level == PARENT && caf.team->parent && !caf.team->again)
        return caf.team->parent;
    return caf.team;
}

int causeway_caf16_image_status(int image, void **team)
{
    return gft_image_status(group_of("image_status", team ? *team : NULL), image);
}

void causeway_caf16_failed_images(struct caf_descriptor *list, void **team, const int *kind)
{
    gft_list_images(list, group_of("failed_images", team ? *team : NULL), kind, CAF_FAILED);
}

void causeway_caf16_stopped_images(struct caf_descriptor *list, void **team, const int *kind)
{
    gft_list_images(list, group_of("stopped_images", team ? *team : NULL), kind, CAF_STOPPED);
}

int32_t causeway_caf16_is_present_on_remote(void *token, int image, int accessor, void *data,
                                            size_t data_nbytes)
{
    (void)data_nbytes;
    return gft_is_present(token, image, accessor, data, true);
}

void causeway_caf16_transfer_between_remotes(
    void *dest_token, struct caf_descriptor *dest_array, size_t *dest_chars, int dest_image,
    int dest_accessor, void *dest_data, size_t dest_data_nbytes, void *src_token,
    const struct caf_descriptor *src_array, const size_t *src_chars, int src_image,
    int src_accessor, void *src_data, size_t src_data_nbytes, size_t src_nbytes, bool is_scalar,
    int *dest_stat, int *src_stat, void **dest_team, int *dest_team_number, void **src_team,
    int *src_team_number)
{
    const gft_end_t to = {dest_token, dest_array, dest_chars, dest_image,      dest_accessor,
                          dest_data,  dest_stat,  dest_team,  dest_team_number},
                    from = {src_token, src_array,    (size_t *)(uintptr_t)src_chars,
                            src_image, src_accessor, src_data,
                            src_stat,  src_team,     src_team_number};
    (void)dest_data_nbytes, (void)src_data_nbytes, (void)src_nbytes;
    gft_transfer(&to, &from, is_scalar);
}
