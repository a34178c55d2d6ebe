"""HTTPS at home: a service with a certificate of the household's own authority, in a browser that trusts the authority."""

import os
import subprocess

import pytest
from playwright.sync_api import Error

from conftest import CHROMIUM
from service import Service, TROLLEYD, until

NAME = "kitchen.local"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """The certificates, and a service that has them."""
    directory = tmp_path_factory.mktemp("certificates")
    subprocess.run([TROLLEYD, "certificate", NAME, "--directory", directory], check=True, capture_output=True)
    service = Service("--tls-certificate", str(directory / "certificate.pem"), "--tls-key", str(directory / "key.pem"))
    yield directory, service
    service.end()


@pytest.fixture
def page(browser, home, tmp_path):
    """Opens the service's page in a browser of its own, which trusts these authorities."""
    browsers = []

    def open_page(*authorities):
        store = tmp_path / ".pki/nssdb"
        store.mkdir(parents=True)
        subprocess.run(["certutil", "-d", f"sql:{store}", "-N", "--empty-password"], check=True)
        for authority in authorities:
            # As docs/operations.md says.
            subprocess.run(["certutil", "-d", f"sql:{store}", "-A", "-t", "C,,", "-n", "Trolley", "-i", authority], check=True)
        browsers.append(browser.browser_type.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", f"--host-resolver-rules=MAP *.local 127.0.0.1, MAP *.example 127.0.0.1"],
            env={**os.environ, "HOME": str(tmp_path)}))
        return browsers[-1].new_page()

    yield open_page
    for one in browsers:
        one.close()


def test_a_browser_that_trusts_the_authority_installs_the_app_over_https(page, home):
    directory, service = home
    opened = page(directory / "authority.pem")
    opened.goto(f"https://{NAME}:{service.port}/")
    opened.wait_for_selector("input[name=name]")
    assert opened.evaluate("isSecureContext")
    # What needs HTTPS: the worker that keeps the app, notices, the key of a room.
    until(lambda: opened.evaluate("navigator.serviceWorker.getRegistration().then(one => !!one?.active)"), "the worker runs")
    assert opened.evaluate("'PushManager' in window && !!crypto.subtle")
    # By another name that the certificate doesn't have, it isn't this service.
    with pytest.raises(Error, match="ERR_CERT_COMMON_NAME_INVALID"):
        opened.goto(f"https://cellar.local:{service.port}/")


def test_a_browser_that_does_not_know_the_authority_refuses_it(page, home):
    with pytest.raises(Error, match="ERR_CERT_AUTHORITY_INVALID"):
        page().goto(f"https://{NAME}:{home[1].port}/")


def test_the_authority_certifies_nothing_outside(page, home, tmp_path):
    """Its key is in somebody else's hands, who makes a certificate for a bank."""
    directory, _ = home
    forged, key, request, extra = (tmp_path / name for name in ("forged.pem", "forged-key.pem", "request.pem", "extra"))
    subprocess.run(["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", request,
                    "-subj", "/CN=bank.example"], check=True, capture_output=True)
    extra.write_text("subjectAltName=DNS:bank.example\nextendedKeyUsage=serverAuth\n")
    subprocess.run(["openssl", "x509", "-req", "-in", request, "-CA", directory / "authority.pem", "-CAkey", directory / "authority-key.pem",
                    "-days", "30", "-extfile", extra, "-out", forged], check=True, capture_output=True)
    service = Service("--tls-certificate", str(forged), "--tls-key", str(key))
    try:
        with pytest.raises(Error, match="ERR_CERT"):
            page(directory / "authority.pem").goto(f"https://bank.example:{service.port}/")
    finally:
        service.end()
