# SPDX-License-Identifier: BSD-3-Clause
#
# A client of GASNet and its tools by the makefile fragments, by pkg-config and by the library's
# usual name, from a tree that was moved, started by gasnetrun_ofi.
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
unset GASNET_SPAWNER GASNET_SSH_SERVERS GASNET_SSH_NODEFILE SLURM_JOB_ID
moved=$PWD/moved/tree
mkdir moved
cp -a "$stage" "$moved"
export PKG_CONFIG_PATH=$moved/lib/pkgconfig
cat >prog.c <<'END'
#include <gasnet.h>
#include <gasnet_tools.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0) != GASNET_OK)
        return 1;
    gasnett_atomic_t x = gasnett_atomic_init(41);
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    printf("%s: node %d of %d, %d\n", GASNETT_STRING_OF(GASNETT_THREAD_MODEL),
           (int)gasnet_mynode(), (int)gasnet_nodes(), (int)gasnett_atomic_add(&x, 1, 0));
    fflush(stdout);
    gasnet_exit(0);
    return 1;
}
END
cp prog.c prog.cc
cat >Makefile <<'END'
include $(TREE)/include/ofi-conduit/ofi-$(MODEL).mak
all: prog-$(MODEL) progxx-$(MODEL)
prog-$(MODEL).o: prog.c
	$(GASNET_CC) $(GASNET_CPPFLAGS) $(GASNET_CFLAGS) -c -o $@ $<
prog-$(MODEL): prog-$(MODEL).o
	$(GASNET_LD) $(GASNET_LDFLAGS) -o $@ $< $(GASNET_LIBS)
progxx-$(MODEL): prog.cc
	$(GASNET_CXX) $(GASNET_CXXCPPFLAGS) $(GASNET_CXXFLAGS) -o $@ $< $(GASNET_LIBS)
END
runs() {
    output_has "^$1: node 1 of 2, 42" "$moved/bin/gasnetrun_ofi" -n 2 "./$2"
}
for model in seq par parsync; do
    word=SEQ
    [ $model = par ] && word=PAR
    check "make, $model" make "TREE=$moved" "MODEL=$model"
    runs $word prog-$model
    runs $word progxx-$model
    check "pkg-config, $model" sh -c \
        "cc prog.c -o prog_pc \$(pkg-config --cflags --libs gasnet-ofi-$model)"
    runs $word prog_pc
done
check "by name and static" cc -DGASNET_PAR=1 "-I$moved/include" prog.c -o prog_static \
    "$moved/lib/libgasnet-ofi-par.a"
runs PAR prog_static
checks=$((checks + 1))
if ldd ./prog_static | grep libcauseway; then
    bad "libgasnet-ofi-par.a brings the shared library"
fi

# The GASNet root: the same, and an OpenSHMEM over GASNet that adds its folders meets no shmem.h.
root=$moved/gasnet
export PKG_CONFIG_PATH=$root/lib/pkgconfig
sed -i 's,include $(TREE)/include,include $(TREE)/gasnet/include,' Makefile
rm -f prog-* progxx-*
for model in seq par parsync; do
    word=SEQ
    [ $model = par ] && word=PAR
    check "make, root, $model" make "TREE=$moved" "MODEL=$model"
    runs $word prog-$model
    runs $word progxx-$model
done
check "pkg-config, root" sh -c "cc prog.c -o prog_pc \$(pkg-config --cflags --libs gasnet-smp-par)"
runs PAR prog_pc
output_has "^$root/lib/" pkg-config --variable=prefix gasnet-ofi-seq
check "folders of the root" cc -DGASNET_SEQ=1 "-I$root/include" "-I$root/include/udp-conduit" \
    prog.c -o prog_root "-L$root/lib" "-Wl,-rpath,$root/lib" -lgasnet-udp-seq
output_has '^SEQ: node 1 of 2, 42' "$root/bin/gasnetrun_udp" -n 2 ./prog_root
output_has '^SEQ: node 1 of 2, 42' "$root/bin/amudprun" -np 2 ./prog_root
# Caffeine's install.sh follows the path to see whether it is the compiler that it was given.
cc=$(pkg-config --variable=GASNET_CC gasnet-ofi-seq)
[ ! -x /usr/bin/cc ] || [ "$cc" = /usr/bin/cc ] || bad "GASNET_CC has no path: $cc"
checks=$((checks + 3))
for folder in "$root/include" "$root/include/ofi-conduit"; do
    [ ! -e "$folder/shmem.h" ] || bad "$folder has a shmem.h"
done
find "$root" -type l ! -exec test -e {} \; -print >dangling
[ ! -s dangling ] || bad "links that lead nowhere: $(cat dangling)"
export PKG_CONFIG_PATH=$moved/lib/pkgconfig
output_has '^-L.*moved/tree.*-lgasnet-ofi-par' pkg-config --variable=GASNET_LIBS gasnet-ofi-par
finish
