// SPDX-License-Identifier: BSD-3-Clause
//
// Images that have stopped or failed.
#include "caf/gone.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "caf/gfortran/gft.h"
#include "core/world/front_end.h"

GFT_API noreturn void _gfortran_caf_fail_image(void);
GFT_OLD_API int _gfortran_caf_image_status(int image, void **team);
GFT_OLD_API void _gfortran_caf_failed_images(caf_descriptor_t *list, void **team, int *kind);
GFT_OLD_API void _gfortran_caf_stopped_images(caf_descriptor_t *list, void **team, int *kind);

static bool names_gone(const char *symbol)
{
    static const char *const names[] = {"_gfortran_caf_fail_image", "_gfortran_caf_image_status",
                                        "_gfortran_caf_failed_images",
                                        "_gfortran_caf_stopped_images"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(symbol, names[i]) == 0)
            return true;
    return false;
}

bool gft_survives(void)
{
    return cw_program_uses(names_gone);
}

void _gfortran_caf_fail_image(void)
{
    caf_fail_image();
}

int gft_image_status(const cw_group_t *group, int image)
{
    static const caf_status_t none;
    int pe = 0;
    caf_want_pe(&none, "image_status", group, image, &pe);
    const caf_code_t code = caf_image_state(pe);
    caf_tell_end(pe, code);
    return gft_door.stat[code];
}

/** GCC 12 to 15 pass no team. */
int _gfortran_caf_image_status(int image, void **team)
{
    (void)team;
    return gft_image_status(caf.group, image);
}

int gft_count_images(const cw_group_t *group, caf_code_t code)
{
    int n = 0;
    for (int rank = 0; caf_survives && rank < group->size; rank++)
        n += caf_image_state(cw_group_pe(group, rank)) == code;
    return n;
}

void gft_list_images(caf_descriptor_t *list, const cw_group_t *group, const int *kind_p,
                     caf_code_t code)
{
    const int kind = kind_p ? *kind_p : 4;
    int found = 0;
    char *data = calloc((size_t)group->size, (size_t)kind);
    if (!data)
        cwu_fatal("out of memory for a list of %d images", group->size);
    // Each image is looked at once: others go on meanwhile, and more of them may be gone.
    for (int rank = 0; caf_survives && rank < group->size; rank++)
        if (caf_image_state(cw_group_pe(group, rank)) == code) {
            const __int128 image = rank + 1;  // of the widest kind
            caf_tell_end(cw_group_pe(group, rank), code);
            memcpy(data + found++ * kind, &image, (size_t)kind);  // the low bytes come first
        }
    list->data = data;
    list->offset = 0;
    list->dtype = (caf_dtype_t){.elem_nbytes = (size_t)kind, .rank = 1, .type = CAF_INTEGER};
    list->span = kind;
    list->dim[0] = (caf_dim_t){.stride = 1, .lbound = 0, .ubound = found - 1};
}

void _gfortran_caf_failed_images(caf_descriptor_t *list, void **team, int *kind)
{
    (void)team;
    gft_list_images(list, caf.group, kind, CAF_FAILED);
}

void _gfortran_caf_stopped_images(caf_descriptor_t *list, void **team, int *kind)
{
    (void)team;
    gft_list_images(list, caf.group, kind, CAF_STOPPED);
}
