"""Devices by the thousand, by the Swift program `population`."""

import json
import subprocess

from bench import Bench
from measurement import Measurement, Watch
from processes import Failed, run

PROGRAM = Bench.built / "population"


def events(port, streams, rate, seconds, server, others, options=()):
    """How soon readers are told of changes."""
    with Watch(server, *others) as watch:
        result = json.loads(run(
            PROGRAM, "events", "--port", port, "--streams", streams, "--rate", rate, "--seconds", seconds, *options))
    arrival = result["arrival"]
    fault = None
    if result["untold"] or result["lostStreams"]:
        fault = f"{result['untold']} changes were never told, {result['lostStreams']} streams ended"
    return Measurement(
        value=result["rate"], p50=arrival["p50"], p99=arrival["p99"], cpu=watch.cpu, memory=watch.memory,
        requests=result["sent"], fault=fault)


def idle(port, streams, server, others, options=()):
    """Kibibytes of the server's memory that a stream takes that is open and says nothing."""
    before = server.resident
    with Watch(server, *others) as watch:
        with subprocess.Popen(
            [str(each) for each in (PROGRAM, "idle", "--port", port, "--streams", streams, *options)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as opener:
            line = opener.stdout.readline()
            if not line:
                raise Failed("the streams could not be opened")
            result = json.loads(line)
            after = server.resident
            opener.stdin.close()
    fault = None if result["open"] == streams else f"only {result['open']} streams stayed open"
    return Measurement(
        value=(after - before) / streams / 1024, cpu=watch.cpu, memory=watch.memory, requests=streams, fault=fault,
        extra={"secondsToOpen": result["seconds"]})


def households(port, households, weeks, servers):
    """A year of weekly shops; the value is requests a second, the latencies are those of uploads."""
    with Watch(*servers) as watch:
        result = json.loads(run(
            PROGRAM, "households", "--port", port, "--households", households, "--weeks", weeks))
    read, write = result["read"], result["write"]
    count = read["count"] + write["count"]
    fault = None
    if result["differentLists"]:
        fault = f"{result['differentLists']} of {result['checkedLists']} lists are not as their household wants them"
    return Measurement(
        value=count / result["seconds"], p50=write["p50"], p99=write["p99"], cpu=watch.cpu, memory=watch.memory,
        requests=count, fault=fault,
        extra={
            "entries": result["entries"], "syncP50": read["p50"], "syncP99": read["p99"],
            "askedToWait": result["slowedDown"]})
