"""W10: many sign in at once, while others go on asking what is new."""

import json
from concurrent.futures import ThreadPoolExecutor

from wrk import THREADS, load


def sign_in_storm(bench, port, path, bodies, servers, script, arguments):
    """The value is sign-ins a second; `meanwhileP99` is the 99th percentile of the others' requests, in milliseconds."""
    file = bench.directory / "sign-ins"
    # wrk wants something behind Authorization.
    file.write_text("".join(f"POST\t{path}\tnone\t{json.dumps(body)}\n" for body in bodies))
    with ThreadPoolExecutor() as together:
        storm = together.submit(
            load, port, "urls.lua", [file, THREADS], 16, bench.sizes.seconds, servers, threads=1, warm_up=False)
        others = together.submit(load, port, script, arguments, 4, bench.sizes.seconds, servers, threads=1, warm_up=False)
    result = storm.result()
    result.extra["meanwhileP50"] = others.result().p50
    result.extra["meanwhileP99"] = others.result().p99
    return result
