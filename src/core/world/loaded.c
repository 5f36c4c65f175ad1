// SPDX-License-Identifier: BSD-3-Clause
//
// The loader lists the program, preloaded libraries, the program's needs, breadth first, then what
// dlopen brings. Nothing says where that begins, so this follows the needs
// (docs/design/static-data.md).
#include "core/world/loaded.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

typedef struct object {
    const char *path, *soname, *strings;
    const ElfW(Dyn) * dynamic;
    bool is_here;  // this library, or the program that it is linked into
    bool is_reached, is_followed;
} object_t;

typedef struct objects {
    object_t *list;
    size_t n, capacity;
    bool failed;
} objects_t;

static void read_dynamic(const struct dl_phdr_info *info, object_t *o)
{
    uintptr_t soname = 0;
    for (const ElfW(Dyn) *d = o->dynamic; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_STRTAB)
            o->strings = (const char *)cw_loaded_pointer(info, d->d_un.d_ptr);
        else if (d->d_tag == DT_SONAME)
            soname = d->d_un.d_val;
    }
    if (o->strings && soname)
        o->soname = o->strings + soname;
}

static int note_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    objects_t *all = arg;
    const uintptr_t here = (uintptr_t)&note_object;
    (void)size;
    if (all->n == all->capacity) {
        size_t capacity = all->capacity ? 2 * all->capacity : 64;
        object_t *list = realloc(all->list, capacity * sizeof *list);
        if ((all->failed = !list))
            return 1;
        all->list = list;
        all->capacity = capacity;
    }
    object_t *o = &all->list[all->n++];
    *o = (object_t){.path = info->dlpi_name ? info->dlpi_name : ""};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + ph->p_vaddr;
        if (ph->p_type == PT_LOAD && here - at < ph->p_memsz)
            o->is_here = true;
        else if (ph->p_type == PT_DYNAMIC)
            o->dynamic = (const ElfW(Dyn) *)at;
    }
    if (o->dynamic)
        read_dynamic(info, o);
    return 0;
}

static bool is_called(const object_t *o, const char *name)
{
    if (strchr(name, '/'))
        return strcmp(o->path, name) == 0;
    const char *slash = strrchr(o->path, '/');
    return (o->soname && strcmp(o->soname, name) == 0) ||
           strcmp(slash ? slash + 1 : o->path, name) == 0;
}

/** Reaches what `o` needs. Returns the index of the first of these. */
static size_t follow(objects_t *all, object_t *o)
{
    size_t first = all->n;
    o->is_followed = true;
    for (const ElfW(Dyn) *d = o->strings ? o->dynamic : NULL; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag != DT_NEEDED)
            continue;
        for (size_t i = 1; i < all->n; i++)
            if (is_called(&all->list[i], o->strings + d->d_un.d_val)) {
                all->list[i].is_reached = true;
                first = i < first ? i : first;
                break;
            }
    }
    return first;
}

static bool reach(objects_t *all)
{
    // those between the program and its first need are preloaded
    size_t preloaded_end = follow(all, &all->list[0]);
    for (size_t i = 0; i < preloaded_end && preloaded_end < all->n; i++)
        all->list[i].is_reached = true;
    all->list[0].is_reached = true;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < all->n; i++) {
            object_t *o = &all->list[i];
            if (o->is_reached && o->is_here)
                return true;
            if (!o->is_reached || o->is_followed)
                continue;
            follow(all, o);
            more = true;
        }
    }
    return false;
}

bool cw_loaded_with_program(void)
{
    objects_t all = {0};
    dl_iterate_phdr(note_object, &all);
    bool with_program = all.n && !all.failed && reach(&all);
    free(all.list);
    return with_program;
}
