// SPDX-License-Identifier: BSD-3-Clause
//
// A sorted table, made once. The file stays mapped: the names lie there.
#include "base/dwarf/extent.h"

#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    pthread_once_t once;
    cwu_extent_t *all;  // by address, apart from each other
    size_t n;
} variables = {.once = PTHREAD_ONCE_INIT};

static const char *map_program(size_t *nbytes_p)
{
    struct stat st;
    void *at = MAP_FAILED;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && (size_t)st.st_size > sizeof(ElfW(Ehdr)))
        at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (at == MAP_FAILED || memcmp(at, ELFMAG, SELFMAG) != 0)
        return NULL;
    *nbytes_p = (size_t)st.st_size;
    return at;
}

static bool inside(size_t file_nbytes, uint64_t offset, uint64_t nbytes)
{
    return offset <= file_nbytes && nbytes <= file_nbytes - offset;
}

/** The sections of the full table of symbols and of its names; false: there is none. */
static bool find_table(const char *file, size_t nbytes, const ElfW(Shdr) * *symbols_p,
                       const ElfW(Shdr) * *names_p)
{
    const ElfW(Ehdr) *head = (const void *)file;
    if (head->e_shentsize != sizeof(ElfW(Shdr)) ||
        !inside(nbytes, head->e_shoff, (uint64_t)head->e_shnum * head->e_shentsize))
        return false;
    const ElfW(Shdr) *sections = (const void *)(file + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= head->e_shnum)
            continue;
        const ElfW(Shdr) *names = &sections[sections[i].sh_link];
        *symbols_p = &sections[i];
        *names_p = names;
        return inside(nbytes, sections[i].sh_offset, sections[i].sh_size) && names->sh_size > 0 &&
               inside(nbytes, names->sh_offset, names->sh_size) &&
               file[names->sh_offset + names->sh_size - 1] == '\0';
    }
    return false;
}

static int by_start(const void *left, const void *right)
{
    const cwu_extent_t *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->nbytes > b->nbytes ? -1 : a->nbytes < b->nbytes;  // the whole before its parts
}

static void merge(void)
{
    size_t n = 0;
    qsort(variables.all, variables.n, sizeof *variables.all, by_start);
    for (size_t i = 0; i < variables.n; i++) {
        cwu_extent_t *last = n ? &variables.all[n - 1] : NULL;
        const cwu_extent_t *next = &variables.all[i];
        if (!last || next->start >= last->start + last->nbytes)
            variables.all[n++] = *next;
        else if (next->start + next->nbytes > last->start + last->nbytes)
            last->nbytes = next->start + next->nbytes - last->start;
    }
    variables.n = n;
}

static int find_base(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    *(uintptr_t *)arg = info->dlpi_addr;
    return 1;  // the program is the first
}

static void read_table(void)
{
    size_t nbytes;
    uintptr_t base = 0;
    const ElfW(Shdr) * symbols, *names;
    const char *file = map_program(&nbytes);
    if (!file || !find_table(file, nbytes, &symbols, &names))
        return;
    dl_iterate_phdr(find_base, &base);
    const ElfW(Sym) *all = (const void *)(file + symbols->sh_offset);
    const size_t n = symbols->sh_size / sizeof *all;
    if (!(variables.all = malloc((n + 1) * sizeof *variables.all)))
        return;
    for (size_t i = 0; i < n; i++)
        if ((all[i].st_info & 0xf) == STT_OBJECT && all[i].st_size > 0 &&
            all[i].st_shndx != SHN_UNDEF && all[i].st_name < names->sh_size)
            variables.all[variables.n++] = (cwu_extent_t){base + all[i].st_value, all[i].st_size,
                                                          file + names->sh_offset + all[i].st_name};
    merge();
}

bool cwu_extent_find(uintptr_t address, cwu_extent_t *extent_p)
{
    pthread_once(&variables.once, read_table);
    size_t low = 0, high = variables.n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (variables.all[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const cwu_extent_t *last = low > 0 ? &variables.all[low - 1] : NULL;
    if (last && address - last->start < last->nbytes) {
        *extent_p = *last;
        return true;
    }
    uintptr_t start = last ? last->start + last->nbytes : 0;
    uintptr_t end = low < variables.n ? variables.all[low].start : UINTPTR_MAX;
    *extent_p = (cwu_extent_t){.start = start, .nbytes = end - start};
    return false;
}
