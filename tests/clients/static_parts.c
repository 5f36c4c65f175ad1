// SPDX-License-Identifier: BSD-3-Clause
//
// Static data wherever compiler and linker put it: each part holds what the program gave it, takes
// what a neighbour puts, and keeps that in the next epoch. Calls OpenSHMEM itself, or, with
// -DLAYER, only through a library (layer.c), which -DOPENED opens by dlopen. Argument "private":
// the library was opened, so static data is not symmetric, and the heap works.
#ifdef OPENED
#include <dlfcn.h>
#endif
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef LAYER
#include "layer.h"
#define LAYER_IN_PROGRAM 0
#else
#include "layer.c"
#define LAYER_IN_PROGRAM 1
#endif

#ifndef ALIGN
#define ALIGN 64
#endif
#define FILLED 3000

static int plain = 7, zero;
int aligned __attribute__((aligned(ALIGN)));
int large[100000] = {1};  // in .ldata with -mcmodel=medium
int large_zero[100000];   // .lbss
#ifdef FAR
int far __attribute__((section(".far"))) = 5;
#else
int far = 5;
#endif
static const int constant = 11;
static const int *volatile constant_p = &constant;

static struct {
    const char *name;
    int *at, initial;
} words[] = {{"plain", &plain, 7},
             {"zero", &zero, 0},
             {"aligned", &aligned, 0},
             {"large", large, 1},
             {"large, end", &large[99999], 0},
             {"large_zero", &large_zero[FILLED], 0},
             {"far", &far, 5}};
enum { WORDS = sizeof words / sizeof *words };

static int wrong;

static void expect(const struct layer *l, const char *what, int value, int expected)
{
    if (value != expected) {
        printf("PE %d: %s: %d, expected %d\n", l->me(), what, value, expected);
        wrong++;
    }
}

static void run_epoch(const struct layer *l, int round)
{
    l->init();
    const int me = l->me(), n = l->n(), right = (me + 1) % n, left = (me + n - 1) % n;
    for (int i = 0; i < WORDS; i++)
        expect(l, words[i].name, *words[i].at,
               round ? 1000 * round + 10 * left + i : words[i].initial);
    expect(l, "a word that is accessible", l->symmetric((void *)(uintptr_t)constant_p), 0);
    expect(l, "the layer's own word that is accessible", l->symmetric(l->own), LAYER_IN_PROGRAM);
    l->barrier();
    for (int i = 0; i < WORDS; i++) {
        expect(l, words[i].name, l->symmetric(words[i].at), 1);
        l->put(words[i].at, 1000 * (round + 1) + 10 * me + i, right);
    }
    l->barrier();
    for (int i = 0; i < WORDS; i++) {
        expect(l, words[i].name, *words[i].at, 1000 * (round + 1) + 10 * left + i);
        expect(l, words[i].name, l->get(words[i].at, right), 1000 * (round + 1) + 10 * me + i);
    }
    expect(l, "constant", *constant_p, 11);
    l->end();
}

static void run_private(const struct layer *l)
{
    l->init();
    int *heap = l->alloc(sizeof *heap);
    *heap = 0;
    expect(l, "static data that is accessible", l->symmetric(&plain), 0);
    l->barrier();
    l->put(heap, l->me() + 1, (l->me() + 1) % l->n());
    l->barrier();
    expect(l, "the heap", *heap, (l->me() + l->n() - 1) % l->n() + 1);
    l->end();
}

int main(int argc, char **argv)
{
#ifdef OPENED
    void *handle = dlopen("./liblayer.so", RTLD_NOW | RTLD_GLOBAL);
    const struct layer *l = handle ? dlsym(handle, "layer") : NULL;
    if (!l) {
        puts(dlerror());
        return 2;
    }
#else
    const struct layer *l = &layer;
#endif
    if (argc > 1 && strcmp(argv[1], "private") == 0)
        run_private(l);
    else
        for (int round = 0; round < 2; round++)
            run_epoch(l, round);
    return wrong != 0;
}
