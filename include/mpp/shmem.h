/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The deprecated place of shmem.h, where the oldest programs look. */
#ifndef MPP_SHMEM_H
#define MPP_SHMEM_H

#include "../shmem.h"

#endif
