// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the static data (.data and .bss) of the main program: the writable PT_LOAD less what the
// loader made read-only after relocation (PT_GNU_RELRO). Only programs that are themselves linked
// with this library (shared, or as an archive) are OpenSHMEM programs; an interpreter that merely
// loads it keeps its data private.
#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "core/mem/area.h"
#include "core/mem/segment.h"

static bool needs_causeway(const struct dl_phdr_info *info, const ElfW(Phdr) * dynamic)
{
    const ElfW(Dyn) *dyn = (const ElfW(Dyn) *)(info->dlpi_addr + dynamic->p_vaddr);
    const char *strings = NULL;
    for (const ElfW(Dyn) *d = dyn; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            strings = (const char *)d->d_un.d_ptr;
    if (!strings)
        return false;
    if ((uintptr_t)strings < info->dlpi_addr)
        strings += info->dlpi_addr;  // not relocated by this loader
    for (const ElfW(Dyn) *d = dyn; d->d_tag != DT_NULL; d++) {
        if (d->d_tag != DT_NEEDED)
            continue;
        const char *name = strings + d->d_un.d_val;
        if (strncmp(name, "libcauseway.so", 14) == 0 || strncmp(name, "libsma.so", 9) == 0)
            return true;
    }
    return false;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
    return h * 0xff51afd7ed558ccdu;
}

static int examine_main_program(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    cw_static_data_t *out = arg;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = 0, file_end = 0, end = 0, relro_end = 0;
    bool linked = false;
    uint64_t id = 1;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + ph->p_vaddr;
        id = mix(mix(mix(id, ph->p_type), ph->p_vaddr), ph->p_memsz);
        if (ph->p_type == PT_LOAD) {
            uintptr_t me = (uintptr_t)&cw_static_data_find;
            if (me >= at && me < at + ph->p_memsz)
                linked = true;  // the archive
            if ((ph->p_flags & PF_W) && at + ph->p_memsz > end) {
                start = at;
                file_end = at + ph->p_filesz;
                end = at + ph->p_memsz;
            }
        } else if (ph->p_type == PT_GNU_RELRO) {
            relro_end = at + ph->p_memsz;
        } else if (ph->p_type == PT_DYNAMIC && needs_causeway(info, ph)) {
            linked = true;
        } else if (ph->p_type == PT_NOTE) {
            const unsigned char *note = (const unsigned char *)at;  // the build id is here
            for (size_t b = 0; b < ph->p_memsz && b < 64; b++)
                id = mix(id, note[b]);
        }
    }
    start &= ~(page - 1);
    relro_end &= ~(page - 1);
    if (relro_end > start && relro_end <= end)
        start = relro_end;
    file_end = (file_end + page - 1) & ~(page - 1);
    end = (end + page - 1) & ~(page - 1);
    out->program = id;
    if (linked && end > start && !cw_area_leaves_data()) {
        out->start = start;
        out->nbytes = end - start;
        out->file_nbytes = file_end > start ? file_end - start : 0;
    }
    return 1;  // the main program comes first; look no further
}

void cw_static_data_find(cw_static_data_t *data_p)
{
    memset(data_p, 0, sizeof *data_p);
    dl_iterate_phdr(examine_main_program, data_p);
}
