# SPDX-License-Identifier: BSD-3-Clause
#
# A client of GASNet, built with the makefile fragments and gcc and g++ alone: every thread mode,
# segment mode and language is compiled, some are run, under each name of the launcher.
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
for file in gasnet_client.c gasnet_client.h gasnet_includes.c; do
    cp "$CAUSEWAY_TEST_SOURCE/tests/clients/$file" .
done
cp gasnet_client.c gasnet_client.cc
cp gasnet_includes.c gasnet_includes.cc

cat >Makefile <<'END'
include $(STAGE)/include/$(CONDUIT)-conduit/$(CONDUIT)-$(MODEL).mak
%_c_$(NAME): gasnet_%.c
	gcc $(GASNET_CPPFLAGS) $(GASNET_CFLAGS) $(SEGMENT) -Wall -Werror -c -o $@.o $<
	gcc $(GASNET_LDFLAGS) -o $@ $@.o $(GASNET_LIBS)
%_cc_$(NAME): gasnet_%.cc
	g++ $(GASNET_CXXCPPFLAGS) $(GASNET_CXXFLAGS) $(SEGMENT) -Wall -Werror -c -o $@.o $<
	g++ $(GASNET_LDFLAGS) -o $@ $@.o $(GASNET_LIBS)
segment: segment.c
	gcc $(GASNET_CPPFLAGS) $(GASNET_CFLAGS) $(GASNET_LDFLAGS) -o $@ $< $(GASNET_LIBS)
flags:
	@echo $(GASNET_CPPFLAGS)
END
build() { # conduit model segment program...
    conduit=$1 model=$2 segment=$3
    shift 3
    check "$conduit $model $segment" make -s "STAGE=$stage" "CONDUIT=$conduit" "MODEL=$model" \
        "NAME=${model}_$segment" "SEGMENT=-DGASNET_SEGMENT_$segment=1 \
            -DWANTED_CONDUIT=GASNET_CONDUIT_$(echo "$conduit" | tr a-z A-Z)" \
        $(for name; do echo "${name}_c_${model}_$segment ${name}_cc_${model}_$segment"; done)
}
build smp seq FAST client includes
build udp seq LARGE client
build ofi seq EVERYTHING client
build smp parsync FAST client
build udp parsync LARGE client includes
build ofi parsync EVERYTHING client
build ofi par FAST client includes
build smp par LARGE client
build udp par EVERYTHING client

# No OpenSHMEM among the headers of GASNet.
printf '#include <shmem.h>\n' >other.c
set -- $(make -s "STAGE=$stage" CONDUIT=ofi MODEL=seq NAME=x flags)
if gcc "$@" -E other.c -o /dev/null 2>/dev/null; then
    bad "shmem.h is found among the headers of GASNet"
fi
# The types that clients name in headers of their own, without a configuration.
printf '#include <gasnet_fwd.h>\nstatic gex_Rank_t r = GEX_RANK_INVALID;\n
int main(void) { return r == 0 || GEX_FLAG_IMMEDIATE != 1; }\n' >forward.c
check "gasnet_fwd.h alone" gcc "-I$stage/include/gasnet" -Wall -Werror forward.c -o forward

# GASNET_MAX_SEGSIZE as GASNet writes it: of each process or of all of a host, a part of the memory.
printf '#include <gasnet.h>\nint main(int argc, char **argv)\n{\n
    if (gasnet_init(&argc, &argv) != GASNET_OK) return 1;
    printf("%%lu\\n", (unsigned long)gasnet_getMaxLocalSegmentSize());
    fflush(stdout);
    if (gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0) != GASNET_OK) return 1;
    gasnet_exit(0);\n}\n' >segment.c
check "segment.c" make -s "STAGE=$stage" CONDUIT=smp MODEL=seq NAME=x segment
segment() { # setting: what two processes have
    GASNET_MAX_SEGSIZE=$1 gasnetrun_smp -n 2 ./segment 2>&1 | sort -u
}
is() { # value expected what
    checks=$((checks + 1))
    [ "$1" = "$2" ] || bad "$3: \"$1\", not \"$2\""
}
is "$(segment 64MB/P)" 67108864 "bytes of a process"
is "$(segment '64MB / h ')" 33554432 "bytes of a host"
is "$(segment 64Mp)" 67108864 "a suffix alone"
is "$(segment 0.125/H)" "$(segment 0.0625)" "parts of the memory"
checks=$((checks + 1))
[ "$(segment .125)" -gt "$(segment .0625/P)" ] || bad "a part of the memory does not count"
GASNET_MAX_SEGSIZE=50% refuses 1 'GASNET_MAX_SEGSIZE="50%" is not a size' \
    gasnetrun_smp -n 1 ./segment
GASNET_MAX_SEGSIZE=1M/X refuses 1 'GASNET_MAX_SEGSIZE="1M/X" is not a size' \
    gasnetrun_smp -n 1 ./segment

# Programs of the smp conduit start themselves; those of the others do not.
output_has 'client: 2 nodes, 0 wrong' env GASNET_PSHM_NODES=2 ./client_c_seq_FAST
output_has 'client: 3 nodes, 0 wrong' env GASNET_PSHM_NODES=3 ./client_cc_parsync_FAST
output_has 'client: 1 nodes, 0 wrong' env GASNET_PSHM_NODES=3 ./client_c_parsync_LARGE
output_has 'client: 2 nodes, 0 wrong' env GASNET_PSHM_NODES=3 gasnetrun_smp -n 2 ./client_c_seq_FAST
GASNET_PSHM_NODES=some refuses 1 'GASNET_PSHM_NODES="some": give a number' ./client_c_seq_FAST

output_has 'includes: node 1, right' gasnetrun_smp -n 2 ./includes_c_seq_FAST
output_has 'includes: node 0, right' gasnetrun_udp -n 1 ./includes_cc_parsync_LARGE
output_has 'client: 2 nodes, 0 wrong' gasnetrun_smp -n 2 ./client_c_seq_FAST
output_has 'client: 3 nodes, 0 wrong' gasnetrun_udp -np 3 ./client_cc_parsync_LARGE
output_has 'client: 2 nodes, 0 wrong' gasnetrun_udp -n 2 -N 2 ./client_cc_par_EVERYTHING
output_has 'client: 1 nodes, 0 wrong' gasnetrun_ofi -n 1 ./client_c_seq_EVERYTHING
output_has 'client: 3 nodes, 0 wrong' gasnetrun_ofi -n 3 -N 2 -v ./client_c_par_FAST
output_has 'client: 2 nodes, 0 wrong' gasnetrun_smp -n 2 ./client_c_par_LARGE
output_has 'client: 2 nodes, 0 wrong' gasnetrun_ofi -n 2 ./client_c_parsync_EVERYTHING
finish
