# SPDX-License-Identifier: BSD-3-Clause
#
# Options of the configuration: what each leaves out is left out, and what is demanded and missing
# is an error. Little is compiled.
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
src=$CAUSEWAY_TEST_SOURCE
setup() {
    meson setup --prefix "$PWD/prefix" --libdir lib -Dtests=false "$@"
}

check "everything off" setup --bindir opt/bin --datadir share/more --includedir include/more \
    -Dmpi=disabled -Dpmix=disabled -Dman=disabled -Dsimulator=false -Dhwloc=disabled \
    -Drpath=false off "$src"
meson introspect --targets off >targets.json
for name in causeway-sim mpi-mpich mpi-openmpi shmem.7; do
    refuses 1 '^$' sh -c "grep '\"name\": \"$name\"' targets.json || { echo; exit 1; }"
done
check "the library is built" grep -q '"name": "causeway"' targets.json
for file in off/tools/oshcc off/meson-private/causeway.pc off/tools/gasnet/gasnet-ofi-par.pc \
    off/tools/gasnet/ofi-par.mak; do
    check "$file" test -s $file
    refuses 1 '^$' sh -c "grep -e '-Wl,-rpath' $file | grep -v '^\[' || { echo; exit 1; }"
done
output_has 'lib -lcauseway' sh off/tools/oshcc -showme:link
refuses 1 '^$' sh -c "sh off/tools/oshcc -showme hello.c | grep rpath || { echo; exit 1; }"
check "the prefix is three folders above a fragment" \
    grep -q 'GASNET_PREFIX := .*)\.\./\.\./\.\.)' off/tools/gasnet/ofi-par.mak
check "the page of causeway-plot" ninja -C off tools/causeway-plot
check "its folder" grep -q '"share/more/causeway/page.html"' off/tools/causeway-plot
check "the library is found from the programs" grep -q '"../../lib"' off/causeway_paths.h
check "the prefix is two folders above the programs" grep -q '")/\.\./\.\."' off/tools/oshcc
check "compiled without PMIx" ninja -C off libcauseway.a.p/src_bootstrap_pmix_absent.c.o

# Nothing of GASNet is installed or exported, and the rest does not need it.
check "no GASNet" setup -Dmpi=disabled -Dman=auto -Dgasnet=false no-gasnet "$src"
# It stops at the first file that is not built, after the headers.
meson install -C no-gasnet --no-rebuild --dry-run >left.txt 2>&1
meson introspect --install-plan no-gasnet | python3 -c 'import json, sys
for group in json.load(sys.stdin).values():
    print(*(entry["destination"] for entry in group.values()), sep="\n")' >>left.txt
output_has 'include/shmem.h to ' cat left.txt
output_has 'bindir./oshcc' cat left.txt
refuses 1 '^$' sh -c "grep -i -e gasnet -e conduit left.txt || { echo; exit 1; }"
check "exports without GASNet" ninja -C no-gasnet exports.map libcauseway.a.p/src_base_env.c.o
refuses 1 '^$' sh -c "grep -e gasnet -e gex_ no-gasnet/exports.map || { echo; exit 1; }"
mkdir members
(cd members && ar x "$CAUSEWAY_TEST_BUILD/libcauseway.a" && rm -f src_gasnet_* src_gex_*)
check "the library links without GASNet" ${CC:-cc} -shared -Wl,--no-undefined -o without.so \
    members/*.o -Wl,--version-script=no-gasnet/exports.map -lpthread -ldl -lm

check "the simulator on" setup -Dman=disabled -Dpmix=enabled on "$src"
meson introspect --targets on >targets.json
check "causeway-sim" grep -q '"name": "causeway-sim"' targets.json
output_has 'Wl,-rpath' cat on/tools/gasnet/gasnet-ofi-par.pc

# Compiler wrappers that do not work.
cat >none.ini <<'END'
[binaries]
mpicc = '/bin/false'
mpicc.mpich = '/bin/false'
mpicc.openmpi = '/bin/false'
END
refuses 1 'ERROR: .*no mpicc of MPICH or Open MPI works' \
    setup --native-file none.ini -Dman=disabled -Dmpi=enabled no-mpi "$src"
finish
