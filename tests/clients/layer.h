// SPDX-License-Identifier: BSD-3-Clause
//
// A communication layer of a program, which alone calls OpenSHMEM.
#ifndef LAYER_H
#define LAYER_H

#include <stddef.h>

struct layer {
    void (*init)(void), (*end)(void), (*barrier)(void);
    int (*me)(void), (*n)(void);
    int (*symmetric)(void *at);
    void *(*alloc)(size_t nbytes);
    void (*put)(int *at, int value, int pe);
    int (*get)(const int *at, int pe);
    int *own;  // static data of the layer
};
extern const struct layer layer;

#endif
