# SPDX-License-Identifier: BSD-3-Clause
#
# The tools by makefile fragment and by pkg-config, in C and C++, from a tree that was moved.
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
moved=$PWD/moved/tree
mkdir moved
cp -a "$stage" "$moved"
cat >prog.c <<'END'
#include <gasnet_tools.h>
int main(void)
{
    gasnett_atomic_t x = gasnett_atomic_init(1);
    printf("%s %u %s\n", GASNETT_STRING_OF(GASNETT_THREAD_MODEL), gasnett_atomic_add(&x, 1, 0),
           gasnett_gethostname());
    return 0;
}
END
cp prog.c prog.cc
cat >Makefile <<'END'
include $(TREE)/include/gasnet_tools-$(MODEL).mak
all: prog-$(MODEL) progxx-$(MODEL)
prog-$(MODEL): prog.c
	$(GASNETTOOLS_CC) $(GASNETTOOLS_CPPFLAGS) $(GASNETTOOLS_CFLAGS) -c -o $@.o $<
	$(GASNETTOOLS_LD) $(GASNETTOOLS_LDFLAGS) -o $@ $@.o $(GASNETTOOLS_LIBS)
progxx-$(MODEL): prog.cc
	$(GASNETTOOLS_CXX) $(GASNETTOOLS_CPPFLAGS) $(GASNETTOOLS_CXXFLAGS) -o $@ $< $(GASNETTOOLS_LIBS)
END
for model in seq par; do
    word=$(echo $model | tr a-z A-Z)
    check "make, $model" make "TREE=$moved" "MODEL=$model"
    output_has "^$word 2 ." ./prog-$model
    output_has "^$word 2 ." ./progxx-$model
    check "pkg-config, $model" sh -c \
        "export PKG_CONFIG_PATH=$moved/lib/pkgconfig
         cc prog.c -o prog_pc \$(pkg-config --cflags --libs gasnet_tools-$model)"
    output_has "^$word 2 ." ./prog_pc
    output_has '^cc$' env "PKG_CONFIG_PATH=$moved/lib/pkgconfig" \
        pkg-config --variable=GASNETTOOLS_CC gasnet_tools-$model
done
checks=$((checks + 1))
if ldd ./prog-par | grep causeway; then bad "the tools need libcauseway.so"; fi
for file in include/gasnet_tools-par.mak include/ofi-conduit/ofi-par.mak \
    lib/pkgconfig/gasnet_tools-par.pc lib/pkgconfig/gasnet-ofi-par.pc \
    lib/libgasnet-ofi-par.so lib/libgasnet-ofi-par.a bin/gasnetrun_ofi; do
    checks=$((checks + 1))
    if grep -q "$stage" "$moved/$file"; then bad "$file names the place that it was staged to"; fi
done
finish
