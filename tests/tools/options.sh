# SPDX-License-Identifier: BSD-3-Clause
#
# Options of the configuration: what each leaves out is left out, and what is demanded and missing
# is an error. Nothing is compiled but the start by PMIx.
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
src=$CAUSEWAY_TEST_SOURCE
setup() {
    meson setup --prefix "$PWD/prefix" --libdir lib -Dtests=false "$@"
}

check "everything off" setup -Dmpi=disabled -Dpmix=disabled -Dman=disabled -Dsimulator=false \
    -Dhwloc=disabled -Drpath=false off "$src"
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
check "compiled without PMIx" ninja -C off libcauseway.a.p/src_bootstrap_pmix_absent.c.o

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
