// SPDX-License-Identifier: BSD-3-Clause
//
// Targets: memory of an image that is none of a coarray, to which a pointer component of one leads,
// or an allocatable one that was allocated where the compiler did not know it for a component. It
// is named by its address in the image, and reached by the kernel or by the server of the image's
// node (core/owner/private.h). What is put is there when the call returns. Each run of elements
// behind each other is one transfer; of a section that is not much longer than its elements all is
// got at once.
#include "caf/section.h"

#include <stdlib.h>

#include "base/error.h"
#include "caf/transfer.h"
#include "core/owner/private.h"

// bytes that are got for one that is needed, beside some that cost nothing
enum { SPARSE_MOST = 8, SMALL = 4096 };

static const char call[] = "access to the target of a pointer";

void caf_target_open(void)
{
    cw_private_share_all();
}

void caf_target_close(void)
{
    cw_private_close_all();
}

static cw_private_t place(const void *addr, int pe)
{
    const uint64_t at = (uintptr_t)addr;
    return (cw_private_t){.pe = pe, .range = CW_PRIVATE_ALL, .addr = at, .offset = at};
}

void caf_target_want(const char *statement, const void *addr, int pe)
{
    const cw_private_t at = place(addr, pe);
    if (!cw_private_reaches(statement, &at))
        caf_fatal(statement,
                  "a component in image %d has memory that is none of a coarray, which the system "
                  "lets no other process read (seccomp, ptrace_scope); allocate it where it is a "
                  "component",
                  pe + 1);
}

bool caf_target_is_gone(const char *statement, const caf_remote_t *target)
{
    return target->is_target && cw_private_is_gone(statement, target->pe);
}

void caf_target_read(void *to, const void *addr, size_t nbytes, int pe)
{
    const cw_private_t at = place(addr, pe);
    if (cw_private_get(call, to, &at, nbytes))
        caf_complete_cold();
}

static char *buffer(size_t nbytes)
{
    char *memory = malloc(nbytes + 1);
    if (!memory)
        cwu_fatal("out of memory for %zu bytes of an array in another image", nbytes);
    return memory;
}

// ---------------------------------------------------------------- runs of elements
typedef struct runs {
    int pe;
    bool put, under_way;
    const char *remote;  // where the run begins
    char *local;
    size_t nbytes;
} runs_t;

static void end_run(runs_t *r)
{
    const cw_private_t at = place(r->remote, r->pe);
    const bool under_way = r->put ? cw_private_put(call, &at, r->local, r->nbytes)
                                  : cw_private_get(call, r->local, &at, r->nbytes);
    r->under_way = r->under_way || under_way;
    r->local += r->nbytes;
    r->nbytes = 0;
}

/** Local elements lie behind each other. */
static void move(const caf_remote_t *remote, char *local, bool put)
{
    const caf_section_t *s = &remote->section;
    const size_t n = caf_section_nelems(s);
    size_t index[CAF_MAX_DIMENSIONS] = {0};
    runs_t r = {.pe = remote->pe, .put = put, .local = local};
    for (size_t k = 0; k < n; k++) {
        const char *at = caf_section_element(s, index);
        if (r.nbytes && at != r.remote + r.nbytes)
            end_run(&r);
        if (!r.nbytes)
            r.remote = at;
        r.nbytes += s->elem_nbytes;
        for (int i = 0; i < s->rank && ++index[i] == s->dim[i].extent; i++)
            index[i] = 0;
    }
    if (r.nbytes)
        end_run(&r);
    if (r.under_way)
        caf_complete_cold();
}

// ---------------------------------------------------------------- sections
void caf_target_put(const caf_remote_t *dest, const caf_section_t *src)
{
    caf_section_t packed;
    char *memory = buffer(caf_section_nelems(&dest->section) * dest->section.elem_nbytes);
    caf_section_packed(&packed, &dest->section, memory);
    caf_section_assign(&packed, src);
    move(dest, memory, true);
    free(memory);
}

void caf_target_get(const caf_section_t *dest, const caf_remote_t *src)
{
    const size_t nbytes = caf_section_nelems(&src->section) * src->section.elem_nbytes;
    caf_section_t here = src->section;
    uintptr_t begin, end;
    if (nbytes == 0)
        return;
    caf_section_span(&src->section, &begin, &end);
    const bool dense = end - begin <= SPARSE_MOST * nbytes + SMALL;
    char *memory = buffer(dense ? end - begin : nbytes);
    if (dense) {
        caf_target_read(memory, (const void *)begin, end - begin, src->pe);
        here.base = memory + ((uintptr_t)src->section.base - begin);
    } else {
        caf_section_packed(&here, &src->section, memory);
        move(src, memory, false);
    }
    caf_section_assign(dest, &here);
    free(memory);
}
