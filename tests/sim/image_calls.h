// SPDX-License-Identifier: BSD-3-Clause
//
// What gfortran 12 calls for coarrays of scalars, for scenes.
#ifndef SIM_IMAGE_CALLS_H
#define SIM_IMAGE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim.h"

/** As gfortran 12 has it, of a scalar. */
typedef struct array {
    void *data;
    ptrdiff_t offset;
    size_t elem_nbytes;
    int32_t version;
    int8_t rank, type;
    int16_t attribute;
    ptrdiff_t span;
} array_t;
void _gfortran_caf_init(int *argc, char ***argv);
void _gfortran_caf_finalize(void);
int _gfortran_caf_this_image(int distance);
int _gfortran_caf_num_images(int distance, int failed);
void _gfortran_caf_sync_all(int *stat, char *errmsg, size_t errmsg_nbytes);
void _gfortran_caf_sync_memory(int *stat, char *errmsg, size_t errmsg_nbytes);
void _gfortran_caf_sync_images(int n, int *images, int *stat, char *errmsg, size_t errmsg_nbytes);
void _gfortran_caf_register(size_t size, int type, void **token, array_t *array, int *stat,
                            char *errmsg, size_t errmsg_nbytes);
void _gfortran_caf_deregister(void **token, int type, int *stat, char *errmsg,
                              size_t errmsg_nbytes);
void _gfortran_caf_atomic_define(void *token, size_t offset, int image, void *value, int *stat,
                                 int type, int kind);
void _gfortran_caf_atomic_ref(void *token, size_t offset, int image, void *value, int *stat,
                              int type, int kind);
void _gfortran_caf_co_sum(array_t *a, int result_image, int *stat, char *errmsg,
                          size_t errmsg_nbytes);
void _gfortran_caf_form_team(int number, void **team, int new_index);
void _gfortran_caf_change_team(void **team, int coselector);
void _gfortran_caf_end_team(void **team);
void _gfortran_caf_send(void *token, size_t offset, int image, array_t *dest, void *dest_vector,
                        array_t *src, int dest_kind, int src_kind, bool may_overlap, int *stat,
                        void **team);
void _gfortran_caf_get(void *token, size_t offset, int image, array_t *src, void *src_vector,
                       array_t *dest, int src_kind, int dest_kind, bool may_overlap, int *stat);
void _gfortran_caf_lock(void *token, size_t index, int image, int *acquired, int *stat,
                        char *errmsg, size_t errmsg_nbytes);
void _gfortran_caf_unlock(void *token, size_t index, int image, int *stat, char *errmsg,
                          size_t errmsg_nbytes);
void _gfortran_caf_event_post(void *token, size_t index, int image, int *stat, char *errmsg,
                              size_t errmsg_nbytes);
void _gfortran_caf_event_wait(void *token, size_t index, int until, int *stat, char *errmsg,
                              size_t errmsg_nbytes);
int _gfortran_caf_image_status(int image, void **team);
enum { ALLOCATABLE = 1, LOCK = 3, CRITICAL = 4, EVENT = 6 };  // what is registered
enum { INTEGER = 1, NBYTES = 8, STOPPED_IMAGE = 6000, FAILED_IMAGE = 6001 };

static inline array_t integer(void *data)
{
    return (array_t){.data = data, .elem_nbytes = NBYTES, .type = INTEGER, .span = NBYTES};
}

/** As a program goes on that has seen an image fail or stop: the others form a team. left: their
 *  number. */
static inline void meet_without(int left)
{
    int stat = -1;
    void *team = NULL;
    _gfortran_caf_form_team(1, &team, 0);
    _gfortran_caf_change_team(&team, 0);
    _gfortran_caf_sync_all(&stat, NULL, 0);
    SIM_CHECK(stat == 0 && _gfortran_caf_num_images(0, -1) == left,
              "stat is %d in a team of %d, of %d that are left", stat,
              _gfortran_caf_num_images(0, -1), left);
    _gfortran_caf_end_team(NULL);
}

#endif
