// SPDX-License-Identifier: BSD-3-Clause
//
// Places of the library's code: a byte each, written out as a list.
#include "sites.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>

#include "world.h"

sim_sites_t sim_sites;

static int look(struct dl_phdr_info *info, size_t nbytes, void *arg)
{
    uintptr_t here = (uintptr_t)sim_sites_begin, first = UINTPTR_MAX;
    (void)nbytes;
    (void)arg;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD)
            continue;
        if (first == UINTPTR_MAX)
            first = p->p_vaddr;
        if (here - (info->dlpi_addr + p->p_vaddr) < p->p_memsz) {
            sim_sites.base = info->dlpi_addr + first;
            sim_sites.link = first;
            sim_sites.nbytes = p->p_vaddr + p->p_memsz - first;
            return 1;
        }
    }
    return 0;
}

void sim_sites_begin(const char *coverage, const char *weaken)
{
    if (!coverage && !weaken)
        return;
    dl_iterate_phdr(look, NULL);
    if (coverage)
        sim_sites.seen = sim_share(sim_sites.nbytes);
    if (weaken)
        sim_sites.weak = sim_share(sim_sites.nbytes);
    while (weaken && *weaken) {
        char *end;
        uintptr_t at = strtoull(weaken, &end, 16) - sim_sites.link;
        if (end == weaken || at >= sim_sites.nbytes) {
            fprintf(stderr, "sim: --weaken %s: no address of the library\n", weaken);
            exit(2);
        }
        sim_sites.weak[at] = 1;
        weaken = *end ? end + 1 : end;
    }
}

void sim_sites_end(const char *coverage)
{
    FILE *f = coverage ? fopen(coverage, "w") : NULL;
    if (coverage && !f) {
        perror(coverage);
        exit(2);
    }
    for (size_t i = 0; f && i < sim_sites.nbytes; i++)
        if (sim_sites.seen[i])
            fprintf(f, "%zx\n", sim_sites.link + i);
    if (f)
        fclose(f);
}
