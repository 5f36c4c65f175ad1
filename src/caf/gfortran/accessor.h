// SPDX-License-Identifier: BSD-3-Clause
//
// Accesses by accessors (accessor.c) that gfortran 15 and 16 ask for with different arguments.
#ifndef GFT_ACCESSOR_H
#define GFT_ACCESSOR_H

#include "caf/gfortran/gft.h"

/** An end of an assignment between images. */
typedef struct gft_end {
    gft_token_t token;
    const caf_descriptor_t *array;  // NULL: its accessor takes an address
    size_t *chars;
    int image, accessor;
    void *data;
    int *stat;
    void **team;
    int *team_number;
} gft_end_t;
void gft_transfer(const gft_end_t *to, const gft_end_t *from, bool is_scalar);

/** by_address: the accessor of what is no array takes the address of an address. */
int32_t gft_is_present(gft_token_t token, int image, int accessor, void *data, bool by_address);

#endif
