"""Makes the wheel of pocketgraph: the program, and the Python module that runs it.

    python3 packaging/python/wheel.py --program target/release/pocketgraph --extension target/release/lib_pocketgraph.so --out target/package/python

Standard library only. The same inputs give the same bytes.
"""

import argparse
import base64
import hashlib
import pathlib
import platform
import re
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
# The first moment that a zip file can hold: no time of building gets into the wheel.
MOMENT = (1980, 1, 1, 0, 0, 0)


def version() -> str:
    found = re.search(r'\[workspace\.package\]\s+version = "(.*)"', (ROOT / "Cargo.toml").read_text())
    if not found:
        sys.exit("wheel: Cargo.toml names no version")
    return found.group(1)


def tag(program: bytes) -> str:
    """The platform tag: of the C library that the program was linked with on Linux, of the system elsewhere."""
    machine = platform.machine().lower()
    if sys.platform.startswith("linux"):
        needs = [tuple(map(int, v.split(b"."))) for v in re.findall(rb"GLIBC_(\d+\.\d+)\b", program)]
        if needs:
            major, minor = max(needs)
            return f"manylinux_{major}_{minor}_{machine}"
        return f"musllinux_1_2_{machine}"
    if sys.platform == "darwin":
        return f"macosx_11_0_{'arm64' if machine == 'arm64' else 'x86_64'}"
    return "win_amd64"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--extension", type=pathlib.Path, required=True, help="the compiled half of the module, of companion/python")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    given = parser.parse_args()
    program = given.program.read_bytes()
    extension = given.extension.read_bytes()
    number, where = version(), f"cp39-abi3-{tag(program + extension)}"
    info = f"pocketgraph-{number}.dist-info"
    files: dict[str, tuple[bytes, int]] = {}
    for source in sorted((HERE / "pocketgraph").rglob("*")):
        if source.is_file() and "__pycache__" not in source.parts:
            files[f"pocketgraph/{source.relative_to(HERE / 'pocketgraph').as_posix()}"] = (source.read_bytes(), 0o644)
    ending = "pyd" if sys.platform == "win32" else "abi3.so"
    files[f"pocketgraph/_pocketgraph.{ending}"] = (extension, 0o755)
    scripts = f"pocketgraph-{number}.data/scripts"
    files[f"{scripts}/pocketgraph{given.program.suffix}"] = (program, 0o755)
    for name, source in [
        ("LICENSE", "LICENSE"),
        ("LICENSE-MIT", "LICENSE-MIT"),
        ("LICENSE-APACHE", "LICENSE-APACHE"),
        ("NOTICE", "models/NOTICE"),
        ("THIRD-PARTY.txt", "THIRD-PARTY.txt"),
        ("THIRD-PARTY-module.txt", "packaging/python/THIRD-PARTY.txt"),
    ]:
        files[f"{info}/licenses/{name}"] = ((ROOT / source).read_bytes(), 0o644)
    readme = (HERE / "README.md").read_text()
    metadata = (
        "Metadata-Version: 2.1\n"
        "Name: pocketgraph\n"
        f"Version: {number}\n"
        "Summary: Question answering over a folder of documents, in the reader's browser, from static files\n"
        "License: MIT OR Apache-2.0\n"
        "Requires-Python: >=3.9\n"
        "Description-Content-Type: text/markdown\n\n" + readme
    )
    files[f"{info}/METADATA"] = (metadata.encode(), 0o644)
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: pocketgraph\nRoot-Is-Purelib: false\nTag: {where}\n".encode(), 0o644)
    record = ""
    for name, (data, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (f"{record}{info}/RECORD,,\n".encode(), 0o644)
    given.out.mkdir(parents=True, exist_ok=True)
    wheel = given.out / f"pocketgraph-{number}-{where}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for name, (data, mode) in files.items():
            entry = zipfile.ZipInfo(name, MOMENT)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, data)
    print(wheel)


if __name__ == "__main__":
    main()
