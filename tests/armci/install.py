#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What clients of ARMCI find in a prefix: the probes of Global Arrays' configure (--with-armci),
-larmci alone from the shared library and from the archive, in C, C++ and Fortran, oshcc, also with
its archive, pkg-config; with an MPI in the include path armci.h has MPI's types."""
import shutil
from pathlib import Path

from frame.client import INCLUDE, LIB, links, scratch, works
from frame.script import check, finish, run

PROGRAM = """#include <armci.h>
#include <stdio.h>
int main(void) {
    if (ARMCI_Init()) return 1;
    int one = 1;
    armci_msg_igop(&one, 1, (char *)"+");
    printf("%d of %d\\n", one, armci_msg_nproc());
    ARMCI_Finalize();
    return 0;
}
"""
FORTRAN = """program hello
  use iso_c_binding
  interface
    integer(c_int) function armci_init() bind(C, name="ARMCI_Init")
      import c_int
    end function
    integer(c_int) function armci_msg_nproc() bind(C, name="armci_msg_nproc")
      import c_int
    end function
    integer(c_int) function armci_finalize() bind(C, name="ARMCI_Finalize")
      import c_int
    end function
  end interface
  integer(c_int) :: n, rc
  rc = armci_init()
  n = armci_msg_nproc()
  print '(i0,a,i0)', n, " of ", n
  rc = armci_finalize()
end program
"""
# a tool that counts calls, with the types that other ARMCIs give them
WRAPPERS = """#define ARMCI_INT_SIZES
#include <armci.h>
#ifdef __cplusplus
extern "C" {
#endif
int wrapped;
int ARMCI_Put(void *src, void *dst, int bytes, int proc)
{ wrapped++; return PARMCI_Put(src, dst, bytes, proc); }
int ARMCI_Get(void *src, void *dst, int bytes, int proc)
{ wrapped++; return PARMCI_Get(src, dst, bytes, proc); }
int ARMCI_Put_flag(void *src, void *dst, int bytes, int *flag, int value, int proc)
{ wrapped++; return PARMCI_Put_flag(src, dst, bytes, flag, value, proc); }
int ARMCI_Acc(int type, void *scale, void *src, void *dst, int bytes, int proc)
{ wrapped++; return PARMCI_Acc(type, scale, src, dst, bytes, proc); }
int ARMCI_NbPut(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl)
{ wrapped++; return PARMCI_NbPut(src, dst, bytes, proc, hdl); }
int ARMCI_NbGet(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl)
{ wrapped++; return PARMCI_NbGet(src, dst, bytes, proc, hdl); }
int ARMCI_NbAcc(int type, void *scale, void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl)
{ wrapped++; return PARMCI_NbAcc(type, scale, src, dst, bytes, proc, hdl); }
void ARMCI_Copy(void *src, void *dst, int bytes) { wrapped += src != dst && bytes > 0; }
int ARMCI_Malloc(void *ptr_arr[], armci_size_t bytes) { return PARMCI_Malloc(ptr_arr, bytes); }
#ifdef __cplusplus
}
#endif
"""
WRAPPED = """#include <armci.h>
#include <message.h>
#include <stdio.h>
extern int wrapped;
int main(void)
{
    void *at[2];
    long one = 1, got = 0;
    if (ARMCI_Init() || ARMCI_Malloc(at, 8))
        return 1;
    int me = armci_msg_me();
    ARMCI_Put(&one, at[1 - me], sizeof one, 1 - me);
    ARMCI_Acc(ARMCI_ACC_LNG, &one, &one, at[1 - me], sizeof one, 1 - me);
    ARMCI_Get(at[1 - me], &got, sizeof got, 1 - me);
    if (got == 2 && wrapped == 3)
        printf("2 of 2\\n");
    ARMCI_Finalize();
    return 0;
}
"""
# found: by AC_SEARCH_LIBS([name], [armci]); the last is no part of the interface
PROBES = {"ARMCI_Init": True, "armci_group_comm": True, "ARMCI_Initialized": True,
          "armci_notify": True, "armci_msg_init": True, "armci_msg_finalize": True,
          "armci_stride_info_init": False}


def probes():
    for name, there in PROBES.items():
        Path("probe.c").write_text(f"char {name}();\nint main(void) {{ return {name}(); }}\n")
        done = works("cc", "-fno-builtin", "-w", "probe.c", LIB, "-larmci", "-o", "probe")
        check((done.returncode == 0) == there, f"probe for {name}", done.stderr)
    Path("member.c").write_text("#include <armci.h>\n"
                                "int main(void) { ARMCI_Group g; return sizeof g.comm != 0; }\n")
    check(works("cc", INCLUDE, "-c", "member.c").returncode != 0, "ARMCI_Group has no member comm")
    Path("header.c").write_text("#include \"message.h\"\n#include \"armci.h\"\n"
                                "typedef int ARMCI_Datatype;\ntypedef armci_size_t C_Long;\n"
                                "int main(void) { C_Long n = -1; return n > 0; }\n")
    done = works("cc", "-Wall", "-Wextra", "-Werror", INCLUDE, "-c", "header.c")
    check(done.returncode == 0, "the headers as Global Arrays takes them", done.stderr)
    Path("types.c").write_text("#include \"message.h\"\n#include <mpi.h>\n"
                               "int f(MPI_Comm c) { return ARMCI_Init_mpi_comm(c); }\n")
    for compiler in filter(shutil.which, ("mpicc.mpich", "mpicc.openmpi")):
        done = works(compiler, "-Wall", "-Werror", INCLUDE, "-c", "types.c")
        check(done.returncode == 0, f"MPI's types with {compiler}", done.stderr)


def wrappers():
    Path("wrapped.c").write_text(WRAPPED)
    for compiler, source in (("cc", "wrappers.c"), ("c++", "wrappers.cc")):
        Path(source).write_text(WRAPPERS)
        done = works(compiler, "-Wall", "-Wextra", "-Werror", INCLUDE, "-c", source, "-o", "tool.o")
        if check(done.returncode == 0, f"wrappers with int, {compiler}", done.stderr):
            links(f"wrappers with int, {compiler}", "cc", INCLUDE, "wrapped.c", "tool.o", LIB,
                  "-larmci")


def main():
    with scratch():
        Path("c.c").write_text(PROGRAM)
        Path("cc.cc").write_text(PROGRAM)
        Path("f.f90").write_text(FORTRAN)
        archive = "-l:libarmci.a"
        probes()
        wrappers()
        links("C", "cc", INCLUDE, "c.c", LIB, "-larmci")
        links("C, archive", "cc", INCLUDE, "c.c", LIB, archive)
        links("C++", "c++", INCLUDE, "cc.cc", LIB, "-larmci")
        links("oshcc", "oshcc", "c.c", "-larmci")
        links("oshcc, archive", "oshcc", "-static-causeway", "c.c", "-larmci")
        links("oshcc, all static", "oshcc", "-static", "c.c", "-larmci")
        if shutil.which("gfortran"):
            links("Fortran", "gfortran", "f.f90", LIB, "-larmci")
            links("Fortran, archive", "gfortran", "f.f90", LIB, archive)
        if shutil.which("pkg-config"):
            words = run("pkg-config", "--cflags", "--libs", "causeway-armci").split()
            check("-larmci" in words, "pkg-config names -larmci", words)
            links("pkg-config", "cc", "c.c", *words)
    finish()


if __name__ == "__main__":
    main()
