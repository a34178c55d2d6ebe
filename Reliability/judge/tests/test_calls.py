"""How long a call is repeated."""

import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer

from clients.calls import Calls, Unknown
from system.processes import free_port


class Answering(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        """Says nothing."""


class CallTests(unittest.TestCase):
    def test_a_call_is_repeated_while_the_service_is_away(self) -> None:
        port = free_port()

        def serve() -> None:
            with HTTPServer(("127.0.0.1", port), Answering) as server:
                server.handle_request()

        start = threading.Timer(0.5, serve)
        start.start()
        try:
            self.assertEqual(Calls(f"http://127.0.0.1:{port}", 10, patience=30).persist("GET", "/"), {})
        finally:
            start.join()

    def test_a_call_ends_when_its_patience_is_over(self) -> None:
        with self.assertRaises(Unknown):
            Calls(f"http://127.0.0.1:{free_port()}", 1, patience=0).persist("GET", "/")


if __name__ == "__main__":
    unittest.main()
