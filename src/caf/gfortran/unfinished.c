// SPDX-License-Identifier: BSD-3-Clause
//
// Entry points that have no body yet: each ends the job with a line that names it.
#include "caf/gfortran/gft.h"

#define UNFINISHED(name, what)                                                   \
    GFT_API noreturn void name(void);                                            \
    void name(void)                                                              \
    {                                                                            \
        caf_fatal(#name, what " are not supported yet");                         \
    }

UNFINISHED(_gfortran_caf_fail_image, "failed images")
UNFINISHED(_gfortran_caf_failed_images, "failed images")
UNFINISHED(_gfortran_caf_stopped_images, "stopped images")
UNFINISHED(_gfortran_caf_image_status, "failed images")
