"""Devices by the thousand, by the Swift program `population`, which has one thread for its connections."""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor

from bench import Bench
from measurement import Measurement, Watch
from processes import Failed, reap, run_load

PROGRAM = Bench.built / "population"


def events(port, streams, rate, seconds, servers, options=()):
    """How soon readers are told of changes."""
    with Watch(*servers) as watch:
        text, cpu = run_load(
            PROGRAM, "events", "--port", port, "--streams", streams, "--rate", rate, "--seconds", seconds, *options)
    result = json.loads(text)
    arrival = result["arrival"]
    fault = None
    if result["untold"] or result["lostStreams"]:
        fault = f"{result['untold']} changes were never told, {result['lostStreams']} streams ended"
    return Measurement(
        value=result["rate"], p50=arrival["p50"], p99=arrival["p99"], cpu=watch.cpu, memory=watch.memory,
        requests=result["sent"], fault=fault, seconds=watch.seconds, load_cpu=cpu)


def rooms(port, other_port, sizes, seconds, servers, others):
    """How soon a frame of one device is heard by each other device of its room."""
    count, members, rate = sizes
    elsewhere = ("--other-port", other_port) if other_port else ()
    with Watch(*servers, *others) as watch:
        text, cpu = run_load(
            PROGRAM, "rooms", "--port", port, *elsewhere, "--rooms", count, "--members", members, "--rate", rate,
            "--seconds", seconds)
    result = json.loads(text)
    latency = result["latency"]
    fault = None
    if result["unheard"] or result["lostSockets"]:
        fault = f"{result['unheard']} frames were never heard, {result['lostSockets']} sockets ended"
    return Measurement(
        value=result["rate"], p50=latency["p50"], p99=latency["p99"], cpu=watch.cpu, memory=watch.memory,
        requests=result["sent"], fault=fault, seconds=watch.seconds, load_cpu=cpu)


def sockets(port, count, server, others):
    """Kibibytes of the server's memory that a socket takes that is open and says nothing."""
    return idle(port, count, server, others, command="sockets")


def idle(port, streams, server, others, options=(), command="idle"):
    """Kibibytes of the server's memory that a stream takes that is open and says nothing."""
    before = server.resident
    count = "--sockets" if command == "sockets" else "--streams"
    with Watch(server, *others) as watch:
        with _started(command, "--port", port, count, streams, *options) as opener:
            result = _line(opener)
            after = server.resident
            opener.stdin.close()
            end = _line(opener)
            cpu = reap(opener)
    fault = None
    if result["open"] != streams or end["lost"]:
        fault = f"{result['open']} were open, {end['lost']:.0f} of them did not stay so"
    return Measurement(
        value=(after - before) / streams / 1024, cpu=watch.cpu, memory=watch.memory, requests=streams, fault=fault,
        seconds=watch.seconds, load_cpu=cpu, extra={"secondsToOpen": result["seconds"]})


def households(port, households, weeks, watched, servers, compress):
    """A year of weekly shops; the value is requests a second, the latencies are those of uploads.

    `compress` compresses all lists: once half of the weeks are over, while the others are replayed, and once more
    before lists and devices are compared for the second time."""
    with Watch(*servers) as watch, ThreadPoolExecutor() as meanwhile:
        with _started(
                "households", "--port", port, "--households", households, "--weeks", weeks, "--watched", watched,
                "--in-steps") as population:
            _line(population)
            halfway = meanwhile.submit(compress)
            _line(population)
            summaries = [halfway.result(), compress()]
            population.stdin.close()
            result = _line(population)
            cpu = reap(population)
    read, write, comparison = result["read"], result["write"], result["comparison"]
    count = read["count"] + write["count"]
    fault = None
    if comparison["differentLists"] or comparison["differentDevices"]:
        fault = (
            f"{comparison['differentLists']} of {comparison['lists']} lists are not as their household wants them, "
            f"{comparison['differentDevices']} of {comparison['devices']} devices show something else than the service: "
            + comparison["example"][:1000])
    elif not all(summary["discarded"] for summary in summaries):
        fault = f"compression found nothing: {summaries}"
    return Measurement(
        value=count / result["seconds"], p50=write["p50"], p99=write["p99"], cpu=watch.cpu, memory=watch.memory,
        requests=count, fault=fault, seconds=watch.seconds, load_cpu=cpu,
        extra={
            "entries": result["entries"], "syncP50": read["p50"], "syncP99": read["p99"],
            "askedToWait": result["slowedDown"], "discarded": sum(summary["discarded"] for summary in summaries),
            "comparedLists": comparison["lists"], "comparedDevices": comparison["devices"],
            "different": comparison["differentLists"] + comparison["differentDevices"]})


def _started(*arguments):
    return subprocess.Popen(
        [str(each) for each in (PROGRAM, *arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)


def _line(process):
    line = process.stdout.readline()
    if not line:
        raise Failed(f"population ended too soon: {process.stderr.read()[-2000:]}")
    return json.loads(line)
