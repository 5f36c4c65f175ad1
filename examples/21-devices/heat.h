// SPDX-License-Identifier: BSD-3-Clause
//
// One step of a slab, by one block: all its points, then its outer rows into the halos of the
// neighbours, each with a signal to the processor there, which starts the next step.
#ifndef HEAT_H
#define HEAT_H

#include <causeway/device.h>

typedef struct step {
    const double *from;  // rows + 2 rows of n points, the first and the last of them halos
    double *to;          // the same, symmetric
    uint64_t *signals;   // symmetric: last step of the slab above, of that below
    uint64_t rows, rows_above, n, number;
} step_t;

CWD_FN void step_slab(const cwd_world_t *w, const step_t *s)
{
    const uint64_t n = s->n;
    double *first = s->to + n, *last = s->to + s->rows * n;
    for (uint64_t i = CWD_THREAD(); i < s->rows * n; i += CWD_THREADS()) {
        const double *p = s->from + n + i;
        uint64_t x = i % n;
        double left = x > 0 ? p[-1] : 0, right = x + 1 < n ? p[1] : 0;
        s->to[n + i] = *p + 0.25 * (left + right + *(p - n) + p[n] - 4 * *p);
    }
    if (w->pe > 0)  // into the lower halo of the slab above
        cwd_put_signal_block(w, s->to + (s->rows_above + 1) * n, first, n * sizeof(double),
                             s->signals + 1, s->number, CWD_SIGNAL_SET, w->pe - 1);
    if (w->pe + 1 < w->npes)
        cwd_put_signal_block(w, s->to, last, n * sizeof(double), s->signals, s->number,
                             CWD_SIGNAL_SET, w->pe + 1);
    cwd_quiet(w);
}

#endif
