"""What `make dist` made, installed each in an empty root and run there: nothing of this machine is in it but what the package
says that it needs.

Not part of `make test`, since building the packages takes as long as a clean build: `make dist-test`. Needs root, for chroot.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / ".build" / "dist"
PROGRAM = "usr/bin/beaconswarm"

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="chroot is root's")


def the_only(pattern: str) -> Path:
    found = sorted(DIST.glob(pattern))
    assert len(found) == 1, f"{DIST} has {len(found)} of {pattern}, and not one: make dist"
    return found[0]


def said(*command: object, **options) -> str:
    finished = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300, **options)
    assert finished.returncode == 0, f"{command}\n{finished.returncode}\n{finished.stdout[-3000:]}\n{finished.stderr[-3000:]}"
    return finished.stdout


def stanza(package: str) -> str:
    return said("dpkg-query", "-s", package)


def depends(text: str) -> set[str]:
    """The names of what a package depends on; of alternatives, the one that is installed."""
    found = set()
    for field in re.findall(r"^(?:Pre-)?Depends: (.*)$", text, re.M):
        for group in field.split(","):
            names = [re.split(r"[ (:]", name.strip())[0] for name in group.split("|")]
            found.add(next((name for name in names if is_installed(name)), names[0]))
    return found


def is_installed(package: str) -> bool:
    asked = subprocess.run(["dpkg-query", "-W", "-f", "${Status}", package], capture_output=True, text=True)
    return asked.stdout == "install ok installed"


def put(packages: set[str], root: Path) -> None:
    """The files of installed packages and of all that they depend on, with dpkg's own records of them."""
    todo, done = set(packages), set()
    status = root / "var/lib/dpkg/status"
    (root / "var/lib/dpkg/info").mkdir(parents=True, exist_ok=True)
    (root / "var/lib/dpkg/updates").mkdir(exist_ok=True)
    while todo:
        package = todo.pop()
        done.add(package)
        text = stanza(package)
        with status.open("a") as out:
            out.write(text.rstrip() + "\n\n")
        todo |= depends(text) - done
        listed = said("dpkg-query", "-L", package).splitlines()
        for path in map(Path, listed):
            target = root / path.relative_to("/")
            if path.is_dir() and not path.is_symlink():
                # Where this machine has links in the place of folders, the root has them too.
                for parent in [*reversed(path.parents), path]:
                    here = root / parent.relative_to("/")
                    if not here.exists() and not here.is_symlink():
                        here.symlink_to(os.readlink(parent)) if parent.is_symlink() else here.mkdir()
            elif path.exists() or path.is_symlink():
                link_parents(path, root)
                if not target.exists() and not target.is_symlink():
                    shutil.copy2(path, target, follow_symlinks=False)


def link_parents(path: Path, root: Path) -> None:
    for parent in reversed(path.parents):
        here = root / parent.relative_to("/")
        if not here.exists() and not here.is_symlink():
            if parent.is_symlink():
                here.symlink_to(os.readlink(parent))
                (root / parent.resolve().relative_to("/")).mkdir(parents=True, exist_ok=True)
            else:
                here.mkdir()


def empty_root(tmp_path: Path, packages: set[str]) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    for folder in ("lib", "lib64", "bin", "sbin"):
        (root / "usr" / folder).mkdir(parents=True)
        (root / folder).symlink_to(f"usr/{folder}")
    for folder in ("tmp", "var/lib/dpkg/info", "var/lib/dpkg/updates"):
        (root / folder).mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    put(packages, root)
    return root


def inside(root: Path, *command: object) -> str:
    """Runs a command in the root, with /proc there as every system and every container has it: Swift's runtime reads its
    arguments from it, and the loader where the program lies. Nothing of this process's environment is passed on."""
    (root / "proc").mkdir(exist_ok=True)
    mounted = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
    return said(
        "unshare", "--mount", "--propagation", "private", "sh", "-c", mounted, root, *command,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
    )


def plays(root: Path, program: str) -> None:
    """`run smoke` in the root: the shipped scenario, against the embedded collector, on real sockets."""
    version = inside(root, f"/{program}", "--version")
    assert re.fullmatch(r"\d+\.\d+\.\d+ \(commit [0-9a-f]{40}, \d{4}-\d\d-\d\d\)\n", version), version
    inside(root, f"/{program}", "run", "smoke", "--out", "/tmp/out", "--no-color")
    report = json.loads((root / "tmp/out/report.json").read_text())
    assert report["verdict"] == "passed" and report["events"]["delivered"] > 0
    assert report["audit"]["acked_not_found"] == 0 and report["run"]["tool_commit"] in version
    assert "smoke" in inside(root, f"/{program}", "examples")


def test_the_tarball_in_a_root_with_nothing_but_glibc(tmp_path: Path):
    root = empty_root(tmp_path, {"libc6"})
    with tarfile.open(the_only("beaconswarm-*.tar.gz")) as archive:
        archive.extractall(root / "opt", filter="tar")
    (folder,) = (root / "opt").iterdir()
    plays(root, f"opt/{folder.name}/bin/beaconswarm")


def test_the_debian_package_in_a_root_with_what_it_depends_on(tmp_path: Path):
    package = the_only("beaconswarm_*.deb")
    root = empty_root(tmp_path, depends("Depends: " + said("dpkg-deb", "-f", package, "Depends")))
    # dpkg itself refuses it where something is missing that it depends on, or too old.
    said("dpkg", f"--root={root}", "-i", package)
    plays(root, PROGRAM)
    assert said("dpkg", f"--root={root}", "-V", "beaconswarm") == ""
    said("dpkg", f"--root={root}", "-r", "beaconswarm")
    assert not (root / PROGRAM).exists()


def test_the_debian_package_describes_itself_on_a_terminal_of_80():
    lines = said("dpkg-deb", "-f", the_only("beaconswarm_*.deb"), "Description").splitlines()
    assert len(lines) > 3 and all(len(line) <= 80 for line in lines), lines


def test_the_debian_package_is_refused_where_something_is_missing(tmp_path: Path):
    root = empty_root(tmp_path, {"libc6"})
    refused = subprocess.run(
        ["dpkg", f"--root={root}", "-i", str(the_only("beaconswarm_*.deb"))], capture_output=True, text=True
    )
    assert refused.returncode != 0 and "depends on" in refused.stderr


def test_the_wheel_puts_the_program_on_the_path_of_an_environment(tmp_path: Path):
    root = empty_root(tmp_path, {"libc6"})
    venv.create(root / "venv", with_pip=True)
    python = root / "venv/bin/python"
    said(python, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", the_only("beaconswarm-*.whl"))
    program = said("/bin/sh", "-c", "command -v beaconswarm", env={"PATH": str(root / "venv/bin")}).strip()
    assert program == str(root / "venv/bin/beaconswarm")
    plays(root, "venv/bin/beaconswarm")
    said(python, "-m", "pip", "uninstall", "-y", "--disable-pip-version-check", "beaconswarm")
    assert not (root / "venv/bin/beaconswarm").exists() and not (root / "venv/lib/beaconswarm").exists()


def test_the_image_is_a_root_of_its_own(tmp_path: Path):
    context = DIST / "container"
    words = (context / "Containerfile").read_text()
    assert re.findall(r"^(FROM|COPY|ENTRYPOINT) (.*)$", words, re.M) == [
        ("FROM", "scratch"), ("COPY", "root/ /"), ("ENTRYPOINT", f'["/{PROGRAM}"]'),
    ]
    root = tmp_path / "root"
    shutil.copytree(context / "root", root, symlinks=True)
    plays(root, PROGRAM)
    # Users who live somewhere: the image has the tables of their zones.
    zones = 'populations.0.timeZones={"Asia/Shanghai": 1}'
    assert "ok, 200 devices" in inside(root, f"/{PROGRAM}", "validate", "smoke", "--set", zones)


def test_everybody_may_read_what_is_in_packages():
    """Whatever the mask of whoever made them."""
    for place in ("prefix", "debian/usr", "container/root/usr"):
        for path in (DIST / place).rglob("*"):
            wanted = 0o555 if path.is_dir() else 0o444
            assert path.is_symlink() or path.stat().st_mode & wanted == wanted, path


@pytest.mark.parametrize("place", ["usr/share", "share"])
def test_what_packages_have_beside_the_program(place: str):
    prefix = DIST / ("debian" if place.startswith("usr") else "prefix")
    for name in (
        "man/man1/beaconswarm.1.gz", "bash-completion/completions/beaconswarm", "zsh/vendor-completions/_beaconswarm",
        "fish/vendor_completions.d/beaconswarm.fish", "doc/beaconswarm/copyright",
    ):
        assert (prefix / place / name).stat().st_size > 1000, name


def test_the_licences_of_what_is_inside_are_there():
    text = (DIST / "prefix/share/doc/beaconswarm/copyright").read_text()
    for part in ("swift-nio", "GRDB.swift", "swift-argument-parser", "hdrhistogram-swift", "Swift runtime", "libsimdjson"):
        assert part in text, part
    assert "swift-nio: Sources/CNIOLLHTTP/LICENSE" in text, "what packages have from others, too"
    assert "David Heinemeier Hansson" in text, "and what is within a file of theirs"
    assert "Unicode License V3" in text, "ICU's, whose data are 38 MB of the program"
    assert "swift-nio-ssl: BoringSSL (Sources/CNIOBoringSSL)" in text and "The BoringSSL Authors" in text


def test_the_image_has_the_licences_of_what_only_it_has():
    text = (DIST / "container/root/usr/share/doc/beaconswarm/copyright").read_text()
    for package in ("libc6", "ca-certificates", "tzdata"):
        assert f"{package} (Debian)" in text, package


if __name__ == "__main__":
    sys.exit(pytest.main([__file__]))
