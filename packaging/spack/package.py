# SPDX-License-Identifier: BSD-3-Clause
"""Causeway for Spack: packages/causeway/package.py of a repository of recipes. A release's tarball
lies in the current directory. ../try-spack.sh installs by this recipe."""

import os

from spack.package import *

try:
    from spack_repo.builtin.build_systems.meson import MesonPackage

    names_languages = True
except ImportError:  # Spack 0.23 and older: MesonPackage is part of spack.package
    names_languages = False


class Causeway(MesonPackage):
    """PGAS runtime: OpenSHMEM, GASNet, ARMCI and DART over shared memory and libfabric."""

    homepage = "https://causeway.invalid"  # it has no public address yet
    manual_download = True
    url = f"file://{os.getcwd()}/causeway-0.3.0.tar.gz"

    license("BSD-3-Clause")

    # `./dev dist` leaves this file with the checksum of the tarball beside the tarball.
    version("0.3.0")

    variant("checking", default=True, description="Checking mode (CAUSEWAY_CHECK=1)")
    variant("gasnet", default=True, description="GASNet and GASNet-EX")
    variant("hwloc", default=True, description="DART asks hwloc about the machine")
    variant("mpi", default=False, description="A plugin for the MPI: programs of both, its windows")
    variant("pmix", default=True, description="Start by launchers that speak PMIx")
    variant("prif", default=False, description="PRIF, the module by which flang reaches coarrays")

    if names_languages:
        depends_on("c", type="build")
        depends_on("fortran", type="build", when="+prif")
    depends_on("meson@1.0:", type="build")
    depends_on("pkgconfig", type="build")
    # oshrun needs none; causeway-plot and causeway-startup do.
    depends_on("python@3.11:", type=("build", "run"))

    # Loaded when a job needs them, never linked. As dependencies of this type their folders come
    # into the library's run path, where the loader looks.
    depends_on("libfabric@1.17:")
    depends_on("hwloc@2:", when="+hwloc")
    depends_on("mpi", when="+mpi")
    depends_on("pmix@3:", when="+pmix")

    def meson_args(self):
        def on(name):
            return self.spec.satisfies(f"+{name}")

        features = [
            f"-D{name}={'enabled' if on(name) else 'disabled'}"
            for name in ("hwloc", "mpi", "pmix", "prif")
        ]
        booleans = [f"-D{name}={str(on(name)).lower()}" for name in ("checking", "gasnet")]
        return features + booleans + ["-Dman=enabled", "-Dsimulator=false", "-Dtests=false"]

    def setup_dependent_build_environment(self, env, dependent_spec):
        env.set("OSHCC_CC", spack_cc)
        env.set("OSHCC_CXX", spack_cxx)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        """A job of two PEs, on one node and on two."""
        with working_dir("check", create=True):
            source = join_path(self.stage.source_path, "tests", "tools", "hello.c")
            Executable(self.prefix.bin.oshcc)("-o", "hello", source)
            oshrun = Executable(self.prefix.bin.oshrun)
            oshrun("-np", "2", "./hello")
            oshrun("-np", "2", "--emulate-nodes", "2", "./hello")
