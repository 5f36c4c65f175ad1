# SPDX-License-Identifier: BSD-3-Clause
"""An emulated machine with an RDMA device (soft-RoCE): built from Debian packages, which are
unpacked and never installed, and run by QEMU without any right. What is built is kept in a folder
and built again when the recipe or the kernel changes."""

import hashlib
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "maint"))
import debian_root  # noqa: E402
from debian_root import Missing, run  # noqa: E402

PACKAGES = ["libfabric1", "ibverbs-providers", "librdmacm1", "iproute2", "kmod", "dash",
            "coreutils", "util-linux", "mount", "sed", "grep", "libc-bin", "libstdc++6",
            "libasan8", "libubsan1"]
MODULES = ["rdma_rxe", "rdma_ucm", "ib_umad", "dummy", "virtio_pci", "9p", "9pnet_virtio",
           "crc32_generic"]
MEMORY_MIB, PROCESSORS = 3072, 2
BOOT_SECONDS = 180


def kernel_package():
    """The package that Debian's name for the newest kernel leads to."""
    for line in run("apt-cache", "depends", "--important", "linux-image-amd64").splitlines():
        name = line.partition("Depends: linux-image-")[2].strip()
        if name:
            return f"linux-image-{name}"
    raise Missing("apt knows no kernel linux-image-amd64")


# ---------------------------------------------------------------- building

def recipe(kernel):
    files = [Path(__file__), Path(debian_root.__file__), HERE / "init", Path("/etc/os-release")]
    parts = [kernel.encode(), *(path.read_bytes() for path in files)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def download(work, kernel):
    """Packages with all that they depend on; the kernel alone."""
    archives = debian_root.download(PACKAGES, work / "archives")
    run(*debian_root.COMMON, "download", kernel, seconds=900, cwd=work)
    return archives, next(work.glob("linux-image-*.deb"))


def unpack_root(packages, root):
    debian_root.unpack(packages, root)
    for name in ("tree", "plan"):
        (root / name).mkdir()
    shutil.copy(HERE / "init", root / "init")
    (root / "init").chmod(0o755)


def tool(name):
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin") or name


def take_modules(kernel_tree, root):
    """Copies what MODULES need; their dependencies are the kernel's own."""
    folder = next((kernel_tree / "lib/modules").glob("*"))
    version = folder.name
    run(tool("depmod"), "-b", kernel_tree, version)
    for module in MODULES:
        listed = run(tool("modprobe"), "-d", kernel_tree, "-S", version, "--show-depends", module)
        for line in listed.splitlines():
            if line.startswith("insmod "):
                source = Path(line.split()[1])
                to = root / "usr" / source.relative_to(kernel_tree)
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, to)
    for name in ("modules.order", "modules.builtin"):
        shutil.copy(folder / name, root / "usr/lib/modules" / version)
    run(tool("depmod"), "-b", root, version)
    (root / "etc/causeway-modules").write_text("\n".join(MODULES) + "\n")


def pack(root, archive):
    """The root as an archive for the kernel, everything owned by root."""
    command = "find . -print0 | cpio --null --create --quiet --format=newc --owner=0:0 | zstd -q -3"
    with archive.open("wb") as out:
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=root, stdout=out,
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise Missing(f"cpio or zstd failed: {done.stderr.decode(errors='replace').strip()}")


def ensure(folder, say):
    """Builds kernel and root in the folder unless they are there; returns the kernel's package."""
    kernel = kernel_package()
    wanted, stamp = recipe(kernel), folder / "recipe"
    if stamp.exists() and stamp.read_text() == wanted:
        return kernel
    start = time.monotonic()
    shutil.rmtree(folder, ignore_errors=True)
    work = folder / "work"
    work.mkdir(parents=True)
    say(f"downloading {kernel} and the packages of the machine")
    packages, image = download(work, kernel)
    say(f"unpacking {len(packages) + 1} packages")
    kernel_tree = work / "kernel"
    run("dpkg", "-x", image, kernel_tree)
    unpack_root(packages, work / "root")
    take_modules(kernel_tree, work / "root")
    run(tool("ldconfig"), "-r", work / "root")
    pack(work / "root", folder / "root.cpio.zst")
    shutil.copy(next((kernel_tree / "boot").glob("vmlinuz-*")), folder / "kernel")
    shutil.rmtree(work)
    (folder / "packages").write_text("".join(f"{p.name}\n" for p in packages))
    stamp.write_text(wanted)
    size = (folder / "root.cpio.zst").stat().st_size >> 20
    say(f"the machine is built: {size} MiB, {time.monotonic() - start:.0f} s")
    return kernel


def packages_of(folder):
    """The archives that the machine was made of."""
    return (folder / "packages").read_text().split()


# ---------------------------------------------------------------- running

class Machine:
    """One boot. Lines of its console come from `line`; `end` leaves no process behind."""

    def __init__(self, folder, tree, plan, log):
        shares = []
        for name, path in (("tree", tree), ("plan", plan)):
            shares += ["-virtfs", f"local,path={path},mount_tag={name},security_model=none,"
                                  f"readonly=on,multidevs=remap"]
        command = ["nice", "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max",
                   "-smp", str(PROCESSORS), "-m", str(MEMORY_MIB), "-nodefaults", "-no-user-config",
                   "-display", "none", "-serial", "stdio", "-net", "none", "-no-reboot",
                   "-kernel", str(folder / "kernel"), "-initrd", str(folder / "root.cpio.zst"),
                   *shares, "-append", "console=ttyS0 quiet panic=-1 rdinit=/init"]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, start_new_session=True,
                                        preexec_fn=end_with_parent)
        self.lines = queue.Queue()
        self.log = log
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for raw in self.process.stdout:
            text = raw.decode(errors="replace").rstrip("\r\n")
            self.log.write(text + "\n")
            self.log.flush()
            self.lines.put(text)
        self.lines.put(None)

    def line(self, seconds):
        """The next line; None at the machine's end; raises queue.Empty after so many seconds."""
        return self.lines.get(timeout=seconds)

    def end(self, patience):
        """Waits so many seconds for the machine's own end, then ends it."""
        try:
            self.process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def end_with_parent():
    """PR_SET_PDEATHSIG: no machine outlives the command, however that ends."""
    import ctypes  # noqa: PLC0415
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
