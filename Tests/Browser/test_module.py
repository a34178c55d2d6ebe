"""Swift's own tests of the module and of stores, with the served files in a page. The tests are those of the last build."""

import os
import subprocess

import pytest

from app import DESKTOP
from service import ROOT, is_readable

TESTS = os.environ.get("TROLLEY_TEST_TESTS", str(ROOT / ".build/debug/trolleyPackageTests.xctest"))


def swift_tests(pattern, **environment):
    return [TESTS, "--testing-library", "swift-testing", "--filter", pattern], {**os.environ, **environment}


@pytest.fixture
def page(app, service):
    """An empty page of the service, which runs no app, and the path of the served files."""
    one = app(service_workers="block", **DESKTOP)
    files = {
        "page.html": (None, "text/html", "<!doctype html><title>Tests</title>"),
        "queue-store.js": (ROOT / "Tests/Browser/queue-store.js", "text/javascript", None),
        "answers.mjs": (ROOT / "Tests/TrolleyModuleTests/answers.mjs", "text/javascript", None),
        "all-calls.wasm": (ROOT / ".build/wasm/all-calls.wasm", "application/wasm", None),
    }

    def answer(route):
        path, kind, body = files[route.request.url.rsplit("/", 1)[1]]
        route.fulfill(content_type=kind if kind == "application/wasm" else f"{kind}; charset=utf-8", body=path.read_bytes() if path else body)

    one.page.route("**/tests/*", answer)
    one.files = files
    one.open("/tests/page.html")
    one.base = f"/app/{next((service.site / 'app').iterdir()).name}/"
    return one


def test_vectors_random_journals_and_random_runs_of_the_sync_come_out_as_natively(page, tmp_path):
    command, environment = swift_tests(r"Module(Tests|SyncTests|VectorTests|TripTests|RoomTests|AddingTests)/", TROLLEY_MODULE_RUNS=str(tmp_path))
    result = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=500)
    runs = sorted(tmp_path.glob("*.calls"))
    assert result.returncode == 0 and len(runs) >= 6, result.stdout[-3000:] + result.stderr[-3000:]
    calls = 0
    for run in runs:
        page.files["calls"] = (run, "text/plain", None)
        page.files["answers"] = (run.with_suffix(".answers"), "text/plain", None)
        count, difference = page.page.evaluate("""async base => {
            const { answers } = await import('/tests/answers.mjs');
            const text = async path => (await fetch(path)).text();
            const calls = await text('/tests/calls'), native = (await text('/tests/answers')).split('\\n');
            // The served modules, and one with what only the service does.
            const sources = [`${base}trolley.wasm`, `${base}later.wasm`, '/tests/all-calls.wasm'];
            const found = await answers(await import(`${base}trolley.js`), sources.map(source => fetch(source)), calls);
            const at = native.findIndex((answer, index) => answer !== found[index]);
            return [found.length, at < 0 && native.length === found.length ? null
                : [calls.split('\\n')[at]?.slice(0, 500), native[at]?.slice(0, 500), found[at]?.slice(0, 500)]];
        }""", page.base)
        assert difference is None, f"call, native, browser: {difference}"
        calls += count
    # The journals alone are more.
    assert calls > 5000


def test_the_web_apps_store_does_what_every_queue_store_must_do(page, tmp_path):
    for name in ("calls", "answers"):
        os.mkfifo(tmp_path / name)
    # For both directions, so that opening waits for nobody.
    calls, answers = (os.open(tmp_path / name, os.O_RDWR) for name in ("calls", "answers"))
    page.page.evaluate("async base => { globalThis.answer = await (await import('/tests/queue-store.js')).begin(base); }", page.base)
    command, environment = swift_tests("BrowserStoreTests/", TROLLEY_BROWSER_PIPES=str(tmp_path))
    received, stores = b"", 0
    with open(tmp_path / "log", "wb") as log:
        process = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
        try:
            while process.poll() is None:
                if not is_readable(calls, 0.2):
                    continue
                received += os.read(calls, 1 << 16)
                while b"\n" in received:
                    call, received = received.split(b"\n", 1)
                    stores += b'"isNew":true' in call
                    os.write(answers, page.page.evaluate("call => answer(call)", call.decode()).encode() + b"\n")
        finally:
            process.kill()
            os.close(calls)
            os.close(answers)
    log = (tmp_path / "log").read_text(errors="replace")
    assert process.returncode == 0, "\n".join(line for line in log.splitlines() if "✘" in line or "Caught" in line)[:6000]
    assert stores >= 20, log[-2000:]
