// SPDX-License-Identifier: BSD-3-Clause
//
// Prices of a simulation on the command line, NAME=NUMBER, all of them needed.
#ifndef STUDY_SIM_PRICES_H
#define STUDY_SIM_PRICES_H

#include <stdbool.h>
#include <stddef.h>

/** A member of type double of the structure that holds the prices. */
typedef struct sim_price {
    const char *name;
    size_t at;
} sim_price_t;

/** Stores one price. given [n]: set for its row. NULL, or what is wrong. */
const char *sim_price_set(const sim_price_t *rows, size_t n, void *prices, bool *given,
                          const char *word);
/** Has each been given? NULL, or what is wrong. */
const char *sim_prices_check(size_t n, const bool *given);

#endif
