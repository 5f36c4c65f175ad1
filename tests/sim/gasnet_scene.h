// SPDX-License-Identifier: BSD-3-Clause
//
// What scenes in GASNet's terms begin with.
#ifndef SIM_GASNET_SCENE_H
#define SIM_GASNET_SCENE_H

#include <gasnet.h>

/** Joins the job, with a segment of so many bytes. */
static inline void scene_attach(gasnet_handlerentry_t *handlers, int nhandlers, size_t nbytes)
{
    int argc = 1;
    char *words[] = {(char *)"scene", NULL}, **argv = words;
    gasnet_init(&argc, &argv);
    gasnet_attach(handlers, nhandlers, nbytes, 0);
}

static inline void scene_barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

#endif
