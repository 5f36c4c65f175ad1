// SPDX-License-Identifier: BSD-3-Clause
//
// libcaf_causeway16: the names by which gfortran 16 calls what versions before it call with other
// arguments. It stands before libcauseway, which has these names for those versions.
#include "caf/gfortran/gcc16.h"

GFT_16_API int _gfortran_caf_this_image(void *team);
GFT_16_API int _gfortran_caf_num_images(void *team, const int32_t *number);
GFT_16_API void _gfortran_caf_form_team(int number, void **team, const int *new_index, int *stat,
                                        char *errmsg, size_t errmsg_nbytes);
GFT_16_API void _gfortran_caf_change_team(void *team, int *stat, char *errmsg,
                                          size_t errmsg_nbytes);
GFT_16_API void _gfortran_caf_end_team(int *stat, char *errmsg, size_t errmsg_nbytes);
GFT_16_API void _gfortran_caf_sync_team(void *team, int *stat, char *errmsg, size_t errmsg_nbytes);
GFT_16_API void *_gfortran_caf_get_team(const int32_t *level);
GFT_16_API int _gfortran_caf_image_status(int image, void **team);
GFT_16_API void _gfortran_caf_failed_images(struct caf_descriptor *list, void **team,
                                            const int *kind);
GFT_16_API void _gfortran_caf_stopped_images(struct caf_descriptor *list, void **team,
                                             const int *kind);
GFT_16_API void _gfortran_caf_sync_all(int *stat, char *errmsg, size_t errmsg_nbytes);
GFT_16_API void _gfortran_caf_sync_memory(int *stat, char *errmsg, size_t errmsg_nbytes);
GFT_16_API void _gfortran_caf_sync_images(int count, const int *images, int *stat, char *errmsg,
                                          size_t errmsg_nbytes);
GFT_16_API int32_t _gfortran_caf_is_present_on_remote(void *token, int image, int accessor,
                                                      void *data, size_t data_nbytes);
GFT_16_API void _gfortran_caf_transfer_between_remotes(
    void *dest_token, struct caf_descriptor *dest_array, size_t *dest_chars, int dest_image,
    int dest_accessor, void *dest_data, size_t dest_data_nbytes, void *src_token,
    const struct caf_descriptor *src_array, const size_t *src_chars, int src_image,
    int src_accessor, void *src_data, size_t src_data_nbytes, size_t src_nbytes, bool is_scalar,
    int *dest_stat, int *src_stat, void **dest_team, int *dest_team_number, void **src_team,
    int *src_team_number);

int _gfortran_caf_this_image(void *team)
{
    return causeway_caf16_this_image(team);
}

int _gfortran_caf_num_images(void *team, const int32_t *number)
{
    return causeway_caf16_num_images(team, number);
}

void _gfortran_caf_form_team(int number, void **team, const int *new_index, int *stat, char *errmsg,
                             size_t errmsg_nbytes)
{
    causeway_caf16_form_team(number, team, new_index, stat, errmsg, errmsg_nbytes);
}

void _gfortran_caf_change_team(void *team, int *stat, char *errmsg, size_t errmsg_nbytes)
{
    causeway_caf16_change_team(team, stat, errmsg, errmsg_nbytes);
}

void _gfortran_caf_end_team(int *stat, char *errmsg, size_t errmsg_nbytes)
{
    causeway_caf16_end_team(stat, errmsg, errmsg_nbytes);
}

void _gfortran_caf_sync_team(void *team, int *stat, char *errmsg, size_t errmsg_nbytes)
{
    causeway_caf16_sync_team(team, stat, errmsg, errmsg_nbytes);
}

void _gfortran_caf_sync_all(int *stat, char *errmsg, size_t errmsg_nbytes)
{
    causeway_caf16_sync_all(stat, errmsg, errmsg_nbytes);
}

void _gfortran_caf_sync_memory(int *stat, char *errmsg, size_t errmsg_nbytes)
{
    causeway_caf16_sync_memory(stat, errmsg, errmsg_nbytes);
}

void _gfortran_caf_sync_images(int count, const int *images, int *stat, char *errmsg,
                               size_t errmsg_nbytes)
{
    causeway_caf16_sync_images(count, images, stat, errmsg, errmsg_nbytes);
}

void *_gfortran_caf_get_team(const int32_t *level)
{
    return causeway_caf16_get_team(level);
}

int _gfortran_caf_image_status(int image, void **team)
{
    return causeway_caf16_image_status(image, team);
}

void _gfortran_caf_failed_images(struct caf_descriptor *list, void **team, const int *kind)
{
    causeway_caf16_failed_images(list, team, kind);
}

void _gfortran_caf_stopped_images(struct caf_descriptor *list, void **team, const int *kind)
{
    causeway_caf16_stopped_images(list, team, kind);
}

int32_t _gfortran_caf_is_present_on_remote(void *token, int image, int accessor, void *data,
                                           size_t data_nbytes)
{
    return causeway_caf16_is_present_on_remote(token, image, accessor, data, data_nbytes);
}

void _gfortran_caf_transfer_between_remotes(
    void *dest_token, struct caf_descriptor *dest_array, size_t *dest_chars, int dest_image,
    int dest_accessor, void *dest_data, size_t dest_data_nbytes, void *src_token,
    const struct caf_descriptor *src_array, const size_t *src_chars, int src_image,
    int src_accessor, void *src_data, size_t src_data_nbytes, size_t src_nbytes, bool is_scalar,
    int *dest_stat, int *src_stat, void **dest_team, int *dest_team_number, void **src_team,
    int *src_team_number)
{
    causeway_caf16_transfer_between_remotes(
        dest_token, dest_array, dest_chars, dest_image, dest_accessor, dest_data, dest_data_nbytes,
        src_token, src_array, src_chars, src_image, src_accessor, src_data, src_data_nbytes,
        src_nbytes, is_scalar, dest_stat, src_stat, dest_team, dest_team_number, src_team,
        src_team_number);
}
