// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the fake: a module is PTX as the driver takes it, of which it reads the names and
// parameters of its entries; a launch calls the program's C function NAME once a thread of the grid
// while device memory answers to loads and stores.
#include "kernel.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

#define MAX_PARAMETERS 16

struct function {
    struct function *next;
    struct module *module;
    char name[128];
    fake_kernel_t *code;
    int count;
    size_t size[MAX_PARAMETERS];
};

struct module {
    char *text;
    struct function *functions;
};

API CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    ENTER_WITH_CONTEXT();
    struct module *m = calloc(1, sizeof *m);
    char *text = m != NULL ? strdup(image) : NULL;
    if (text == NULL || strstr(text, ".version") == NULL || strstr(text, ".target") == NULL) {
        free(text);
        free(m);
        return text == NULL ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_IMAGE;
    }
    m->text = text;
    *module = m;
    return CUDA_SUCCESS;
}

API CUresult cuModuleUnload(CUmodule module)
{
    ENTER_WITH_CONTEXT();
    while (module->functions != NULL) {
        struct function *f = module->functions;
        module->functions = f->next;
        free(f);
    }
    free(module->text);
    free(module);
    return CUDA_SUCCESS;
}

// Where the parameters of .entry NAME begin in the module's text, or NULL.
static const char *entry_of(const char *text, const char *name)
{
    size_t length = strlen(name);
    while ((text = strstr(text, ".entry")) != NULL) {
        text += strlen(".entry");
        while (isspace((unsigned char)*text))
            text++;
        if (strncmp(text, name, length) == 0 && !isalnum((unsigned char)text[length]) &&
            text[length] != '_' && text[length] != '$')
            return text + length;
    }
    return NULL;
}

// One ".param [.align N] .bSIZE name[N]": its bytes, or 0.
static size_t parameter_size(const char *at, const char *end)
{
    size_t bits = 0, count = 1;
    for (; at < end && *at != ','; at++) {
        if (*at == '.' && strchr("busf", at[1]) != NULL && isdigit((unsigned char)at[2]))
            bits = strtoul(at + 2, NULL, 10);
        if (*at == '[')
            count = strtoul(at + 1, NULL, 10);
    }
    return bits / 8 * count;
}

API CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    ENTER_WITH_CONTEXT();
    const char *at = entry_of(module->text, name), *end;
    if (at == NULL)
        return CUDA_ERROR_NOT_FOUND;
    struct function *f = calloc(1, sizeof *f);
    if (f == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    strncpy(f->name, name, sizeof f->name - 1);
    f->module = module;
    void *code = dlsym(RTLD_DEFAULT, name);
    memcpy(&f->code, &code, sizeof code);
    end = strchr(at, ')');
    while (end != NULL && (at = strstr(at, ".param")) != NULL && at < end &&
           f->count < MAX_PARAMETERS) {
        at += strlen(".param");
        f->size[f->count++] = parameter_size(at, end);
    }
    if (f->code == NULL) {  // the test has no such C function
        free(f);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    f->next = module->functions;
    module->functions = f;
    *function = f;
    return CUDA_SUCCESS;
}

struct launch {
    fake_kernel_t *code;
    unsigned grid[3], block[3];
    void *parameters[MAX_PARAMETERS];
    unsigned char bytes[];  // of the parameters, copied at the launch as the driver does
};

static CUresult launch(CUcontext context, void *what)
{
    struct launch *l = what;
    struct fake_thread t = {.device = fake_device_of(context)};
    memcpy(t.grid, l->grid, sizeof t.grid);
    memcpy(t.block, l->block, sizeof t.block);
    unsigned blocks = l->grid[0] * l->grid[1] * l->grid[2];
    unsigned threads = l->block[0] * l->block[1] * l->block[2];
    fake_expose(true);
    for (unsigned b = 0; b < blocks; b++)
        for (unsigned i = 0; i < threads; i++) {
            t.block_index[0] = b % l->grid[0];
            t.block_index[1] = b / l->grid[0] % l->grid[1];
            t.block_index[2] = b / l->grid[0] / l->grid[1];
            t.index[0] = i % l->block[0];
            t.index[1] = i / l->block[0] % l->block[1];
            t.index[2] = i / l->block[0] / l->block[1];
            l->code(&t, l->parameters);
        }
    fake_expose(false);
    return CUDA_SUCCESS;
}

API CUresult cuLaunchKernel(CUfunction f, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                            unsigned block_x, unsigned block_y, unsigned block_z,
                            unsigned shared_bytes, CUstream stream, void **parameters, void **extra)
{
    ENTER_WITH_CONTEXT();
    if (grid_x * grid_y * grid_z == 0 || block_x * block_y * block_z == 0 ||
        block_x * block_y * block_z > 1024 || shared_bytes > 48 * 1024 || extra != NULL ||
        (f->count > 0 && parameters == NULL))
        return CUDA_ERROR_INVALID_VALUE;
    struct launch *l = malloc(sizeof *l + MAX_PARAMETERS * 64);
    if (l == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *l = (struct launch){f->code, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, {NULL}};
    for (int i = 0; i < f->count; i++) {
        if (f->size[i] == 0 || f->size[i] > 64) {
            free(l);
            return CUDA_ERROR_NOT_SUPPORTED;
        }
        l->parameters[i] = l->bytes + i * 64;
        memcpy(l->parameters[i], parameters[i], f->size[i]);
    }
    return fake_queue(stream, launch, l);
}
