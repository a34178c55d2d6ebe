"""Load over HTTP, by wrk and the scripts in wrk/."""

import json
from pathlib import Path

from measurement import Measurement, Watch
from processes import Failed, run_load

_SCRIPTS = Path(__file__).parent / "wrk"
# Before anything counts: connections, caches, prepared statements.
WARM_UP_SECONDS = 1
# Stands for the number of threads in a script's arguments.
THREADS = object()


def load(port, script, arguments, connections, seconds, servers, scale=1, threads=2, warm_up=True):
    """Runs requests over some connections for some seconds.

    `scale`: how many of the workload's units a request is. `THREADS` among the arguments becomes their number."""
    threads = min(threads, connections)

    def once(seconds):
        text, cpu = run_load(
            "wrk", "--threads", threads, "--connections", connections, "--duration", f"{seconds}s", "--timeout", "30s",
            "--script", script, f"http://127.0.0.1:{port}", "--", *arguments, cwd=_SCRIPTS)
        line = next((line for line in text.splitlines() if line.startswith("RESULT ")), None)
        if line is None:
            raise Failed(f"wrk did not say what it measured:\n{text[-2000:]}")
        return json.loads(line.removeprefix("RESULT ")), cpu

    arguments = [each if each is not THREADS else threads for each in arguments]
    if warm_up:
        once(WARM_UP_SECONDS)
    with Watch(*servers) as watch:
        result, cpu = once(seconds)
    bad = result["refused"] + result["failed"]
    fault = None
    if bad > 0.01 * result["requests"] or not result["requests"]:
        fault = f"of {result['requests']} requests {result['refused']} were refused and {result['failed']} failed"
    return Measurement(
        value=result["requests"] * scale / (result["microseconds"] / 1e6), p50=result["p50"] / 1000,
        p99=result["p99"] / 1000, cpu=watch.cpu, memory=watch.memory, requests=result["requests"], fault=fault,
        seconds=watch.seconds, load_cpu=cpu, load_threads=threads, extra={"refusedOrFailed": bad or None})
