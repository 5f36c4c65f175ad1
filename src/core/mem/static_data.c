// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the main program's static data: writable PT_LOAD less PT_GNU_RELRO (ADR 136,
// docs/design/static-data.md).
#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "core/mem/area.h"
#include "core/mem/segment.h"
#include "core/world/loaded.h"

typedef struct finding {
    cw_static_data_t data;
    uintptr_t page, relro, relro_end;
    bool too_many;
} finding_t;

static uint64_t mix(uint64_t h, uint64_t v)
{
    h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
    return h * 0xff51afd7ed558ccdu;
}

static uintptr_t round_down(const finding_t *f, uintptr_t at)
{
    return at & ~(f->page - 1);
}

static uintptr_t round_up(const finding_t *f, uintptr_t at)
{
    return round_down(f, at + f->page - 1);
}

/** Adds whole pages; those before file_end came from the file. */
static void add_part(finding_t *f, uintptr_t start, uintptr_t end, uintptr_t file_end)
{
    cw_static_data_t *d = &f->data;
    if (d->nparts && start < d->start + d->nbytes)
        start = d->start + d->nbytes;
    if (end <= start)
        return;
    if ((f->too_many |= d->nparts == CW_DATA_PARTS_MOST))
        return;
    if (file_end > end)
        file_end = end;
    d->start = d->nparts ? d->start : start;
    d->nbytes = end - d->start;
    d->part[d->nparts++] = (cw_data_part_t){.start = start,
                                            .nbytes = end - start,
                                            .file_nbytes = file_end > start ? file_end - start : 0};
}

static void add_segment(finding_t *f, uintptr_t at, const ElfW(Phdr) * ph)
{
    uintptr_t start = round_down(f, at), end = round_up(f, at + ph->p_memsz),
              file_end = round_up(f, at + ph->p_filesz);
    if (f->relro >= end || f->relro_end <= start) {
        add_part(f, start, end, file_end);
        return;
    }
    add_part(f, start, f->relro, file_end);
    add_part(f, f->relro_end, end, file_end);
}

static uint64_t mix_note(const unsigned char *note, size_t nbytes, uint64_t id)
{
    for (size_t b = 0; b < nbytes && b < 64; b++)
        id = mix(id, note[b]);
    return id;
}

static int examine_main_program(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    finding_t *f = arg;
    uint64_t id = 1;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + ph->p_vaddr;
        id = mix(mix(mix(id, ph->p_type), ph->p_vaddr), ph->p_memsz);
        if (ph->p_type == PT_NOTE) {
            id = mix_note((const unsigned char *)at, ph->p_memsz, id);  // the build id is here
        } else if (ph->p_type == PT_GNU_RELRO) {
            f->relro = round_down(f, at);
            f->relro_end = round_down(f, at + ph->p_memsz);
        }
    }
    for (int i = 0; i < info->dlpi_phnum; i++)  // in the order of addresses
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_W))
            add_segment(f, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, &info->dlpi_phdr[i]);
    f->data.program = id;
    f->data.fixed = info->dlpi_addr == 0;
    return 1;  // the main program comes first
}

int cw_static_data_find(cw_static_data_t *data_p)
{
    finding_t f = {.page = (uintptr_t)sysconf(_SC_PAGESIZE)};
    dl_iterate_phdr(examine_main_program, &f);
    if (cw_area_leaves_data() || !cw_loaded_with_program()) {
        f.data.nbytes = 0;
        f.data.nparts = 0;
    } else if (f.too_many) {
        cwu_error("the program has more than %d segments of static data: link it with fewer",
                  CW_DATA_PARTS_MOST);
        return CW_ENOTSUP;
    }
    *data_p = f.data;
    return CW_OK;
}
