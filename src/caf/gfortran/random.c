// SPDX-License-Identifier: BSD-3-Clause
//
// RANDOM_INIT. That of the compiler's own library, of version 12, gives all images one repeatable
// sequence whether they are to be distinct or not, so the seeds come from here.
#include "caf/gfortran/gft.h"

GFT_API void _gfortran_caf_random_init(bool repeatable, bool image_distinct);

// Of the compiler's own library, if the program has it.
CW_WEAK extern void _gfortran_random_seed_i4(int32_t *size, caf_descriptor_t *put,
                                             caf_descriptor_t *get);

enum { SEED_MOST = 64 };

/** The next word of a sequence of well mixed ones. */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void seed(uint64_t state)
{
    int32_t words[SEED_MOST], n = 0;
    _gfortran_random_seed_i4(&n, NULL, NULL);
    if (n > SEED_MOST)
        caf_fatal("random_init", "a seed has %d words, more than %d", n, SEED_MOST);
    for (int i = 0; i < n; i++)
        words[i] = (int32_t)draw(&state);
    caf_descriptor_t put = {.data = (char *)words,
                            .dtype = {.elem_nbytes = sizeof *words, .rank = 1, .type = CAF_INTEGER},
                            .span = sizeof *words,
                            .dim[0] = {.stride = 1, .lbound = 1, .ubound = n}};
    _gfortran_random_seed_i4(NULL, &put, NULL);
}

void _gfortran_caf_random_init(bool repeatable, bool image_distinct)
{
    static uint64_t calls;
    if (!_gfortran_random_seed_i4)
        caf_fatal("random_init", "the program is not linked with libgfortran");
    uint64_t state = repeatable ? 0 : caf.seed + ++calls;
    if (image_distinct)
        state = draw(&state) + (uint64_t)caf.initial.group->rank + 1;  // in any team
    seed(state);
}
