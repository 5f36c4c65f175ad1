# SPDX-License-Identifier: BSD-3-Clause
#
# A client of GASNet, built with the makefile fragments and gcc and g++ alone: every thread mode,
# segment mode and language is compiled, some are run, under each name of the launcher.
. "$CAUSEWAY_TEST_SOURCE/tests/tools/lib.sh"
cp "$CAUSEWAY_TEST_SOURCE/tests/clients/gasnet_client.c" \
    "$CAUSEWAY_TEST_SOURCE/tests/clients/gasnet_client.h" .
cp gasnet_client.c gasnet_client.cc

cat >Makefile <<'END'
include $(STAGE)/include/$(CONDUIT)-conduit/$(CONDUIT)-$(MODEL).mak
c_$(NAME): gasnet_client.c
	gcc $(GASNET_CPPFLAGS) $(GASNET_CFLAGS) $(SEGMENT) -Wall -Werror -c -o c_$(NAME).o $<
	gcc $(GASNET_LDFLAGS) -o $@ c_$(NAME).o $(GASNET_LIBS)
cc_$(NAME): gasnet_client.cc
	g++ $(GASNET_CXXCPPFLAGS) $(GASNET_CXXFLAGS) $(SEGMENT) -Wall -Werror -c -o cc_$(NAME).o $<
	g++ $(GASNET_LDFLAGS) -o $@ cc_$(NAME).o $(GASNET_LIBS)
flags:
	@echo $(GASNET_CPPFLAGS)
END
build() { # conduit model segment
    check "$1 $2 $3" make -s "STAGE=$stage" "CONDUIT=$1" "MODEL=$2" "NAME=$2_$3" \
        "SEGMENT=-DGASNET_SEGMENT_$3=1 -DWANTED_CONDUIT=GASNET_CONDUIT_$(echo "$1" | tr a-z A-Z)" \
        "c_$2_$3" "cc_$2_$3"
}
build smp seq FAST
build udp parsync LARGE
build ofi par EVERYTHING
build ofi seq EVERYTHING
build ofi par FAST
build smp parsync FAST

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

output_has 'client: 2 nodes, 0 wrong' gasnetrun_smp -n 2 ./c_seq_FAST
output_has 'client: 3 nodes, 0 wrong' gasnetrun_udp -np 3 ./cc_parsync_LARGE
output_has 'client: 2 nodes, 0 wrong' gasnetrun_ofi -n 2 -N 2 ./cc_par_EVERYTHING
output_has 'client: 1 nodes, 0 wrong' gasnetrun_ofi -n 1 ./c_seq_EVERYTHING
output_has 'client: 3 nodes, 0 wrong' gasnetrun_ofi -n 3 -N 2 -v ./c_par_FAST
finish
