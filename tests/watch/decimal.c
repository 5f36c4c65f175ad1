// SPDX-License-Identifier: BSD-3-Clause
//
// A program whose locale has a decimal comma, set before it joins the job. Settings, GASNet's
// number parser and what the library prints have points even so; the program's own output keeps its
// commas.
#define GASNETT_THREAD_SAFE 1
#include <gasnet_tools.h>
#include <locale.h>
#include <shmem.h>
#include <stdio.h>
#include <string.h>

#include "frame/check.h"

static int x;

static void own_comma(const char *when)
{
    char text[16];
    snprintf(text, sizeof text, "%.1f", 1.5);
    CHECK(strcmp(text, "1,5") == 0, "%s this program prints %s", when, text);
}

int main(void)
{
    REQUIRE(setlocale(LC_ALL, ""), "the locale is there");
    own_comma("before init");
    shmem_init();
    check_as("PE", shmem_my_pe(), shmem_n_pes());
    CHECK(shmem_malloc(1 << 20) && !shmem_malloc(1 << 20), "1.5m of heap");
    CHECK(gasnett_getenv_dbl_withdefault("TEST_REAL", 0) == 2.5, "a setting");
    CHECK(gasnett_getenv_dbl_withdefault("TEST_FRACTION", 0) == 5, "a fraction");
    CHECK(gasnett_getenv_int_withdefault("TEST_SIZE", 0, 1) == 1536, "a size");
    for (int i = 0; i < 1000; i++)
        shmem_int_p(&x, i, (shmem_my_pe() + 1) % shmem_n_pes());
    shmem_barrier_all();
    own_comma("within the job");
    shmem_finalize();
    own_comma("after the job");
    return check_result();
}
