// SPDX-License-Identifier: BSD-3-Clause
//
// PMI_process_mapping in its forms, right and wrong; numbering of nodes by name.
#include <stdio.h>

#include "bootstrap/nodemap.h"
#include "bootstrap/placement.h"
#include "frame/check.h"

static void expect(const char *text, int npes, const int *want, int want_nodes)
{
    int got[16], nnodes = -1;
    CHECK(cwb_placement_parse(text, npes, got, &nnodes) == 0);
    CHECK(nnodes == want_nodes);
    for (int pe = 0; pe < npes; pe++)
        CHECK(got[pe] == want[pe]);
}

static void refuse(const char *text)
{
    int got[16], nnodes = -1;
    CHECK(cwb_placement_parse(text, 4, got, &nnodes) != 0);
}

static void check_names(void)
{
    cwb_nodemap_t map;
    CHECK(cwb_nodemap_init(&map, 1000) == 0);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 1000; i++) {
            char name[32];
            snprintf(name, sizeof name, "node%d", i);
            CHECK(cwb_nodemap_add(&map, name) == i);
        }
    }
    CHECK(cwb_nodemap_add(&map, "node7") == 7);
    cwb_nodemap_finish(&map);
}

int main(void)
{
    expect("(vector,(0,1,4))", 4, (int[]){0, 0, 0, 0}, 1);
    expect("(vector,(0,2,2))", 4, (int[]){0, 0, 1, 1}, 2);
    expect("(vector,(0,2,1))", 5, (int[]){0, 1, 0, 1, 0}, 2);
    expect("(vector,(0,1,2),(1,2,1))", 6, (int[]){0, 0, 1, 2, 0, 0}, 3);
    expect("(vector,(5,1,1),(2,1,2))", 3, (int[]){0, 1, 1}, 2);
    expect(" ( vector , (0,1,1) , (1,1,1) ) ", 2, (int[]){0, 1}, 2);
    refuse("");
    refuse("(vector)");
    refuse("(vector,)");
    refuse("(vector,(0,1,4)");
    refuse("(vector,(0,1))");
    refuse("(vector,(0,0,1))");
    refuse("(vector,(0,1,0))");
    refuse("(vector,(-1,1,1))");
    refuse("(vector,(0,999999999,1))");
    refuse("(list,(0,1,4))");
    check_names();
    return check_result();
}
