// SPDX-License-Identifier: BSD-3-Clause
//
// What gfortran 16 calls with other arguments than the versions before it. The entry points have
// the same names, so they are in a library of their own (names16/), which the wrapper caf links
// first, and call these.
#ifndef GFT_GCC16_H
#define GFT_GCC16_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

#define GFT_16_API CW_EXPORTED

struct caf_descriptor;

/** team: NULL, the current one. number: NULL, or of a sibling of the current one; -1: initial. */
GFT_16_API int causeway_caf16_this_image(void *team);
GFT_16_API int causeway_caf16_num_images(void *team, const int32_t *number);
GFT_16_API void causeway_caf16_form_team(int number, void **team, const int *new_index, int *stat,
                                         char *errmsg, size_t errmsg_nbytes);
GFT_16_API void causeway_caf16_change_team(void *team, int *stat, char *errmsg,
                                           size_t errmsg_nbytes);
GFT_16_API void causeway_caf16_end_team(int *stat, char *errmsg, size_t errmsg_nbytes);
GFT_16_API void causeway_caf16_sync_team(void *team, int *stat, char *errmsg, size_t errmsg_nbytes);
/** level: NULL, or the value of INITIAL_TEAM, PARENT_TEAM, CURRENT_TEAM. */
GFT_16_API void *causeway_caf16_get_team(const int32_t *level);
/** team: NULL, or the address of a variable. */
GFT_16_API int causeway_caf16_image_status(int image, void **team);
GFT_16_API void causeway_caf16_failed_images(struct caf_descriptor *list, void **team,
                                             const int *kind);
GFT_16_API void causeway_caf16_stopped_images(struct caf_descriptor *list, void **team,
                                              const int *kind);
/** errmsg: the text itself; versions before pass the address of its address. */
GFT_16_API void causeway_caf16_sync_all(int *stat, char *errmsg, size_t errmsg_nbytes);
GFT_16_API void causeway_caf16_sync_memory(int *stat, char *errmsg, size_t errmsg_nbytes);
GFT_16_API void causeway_caf16_sync_images(int count, const int *images, int *stat, char *errmsg,
                                           size_t errmsg_nbytes);
GFT_16_API int32_t causeway_caf16_is_present_on_remote(void *token, int image, int accessor,
                                                       void *data, size_t data_nbytes);
GFT_16_API void causeway_caf16_transfer_between_remotes(
    void *dest_token, struct caf_descriptor *dest_array, size_t *dest_chars, int dest_image,
    int dest_accessor, void *dest_data, size_t dest_data_nbytes, void *src_token,
    const struct caf_descriptor *src_array, const size_t *src_chars, int src_image,
    int src_accessor, void *src_data, size_t src_data_nbytes, size_t src_nbytes, bool is_scalar,
    int *dest_stat, int *src_stat, void **dest_team, int *dest_team_number, void **src_team,
    int *src_team_number);

#endif
