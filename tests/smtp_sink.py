"""A mail server for tests: takes every mail and writes it down.

    python3 smtp_sink.py FILE [--refuse ADDRESS]... [--later ADDRESS[=ANSWER]]...

Prints its port, then serves until its standard input ends. Each mail becomes one line of JSON in
FILE: {"from", "to": [..], "data"}. Mails to a refused address are answered with 550, the first one
to each later address with its answer, or 451.
"""

import argparse
import json
import sys

from aiosmtpd.controller import Controller


class Sink:
    """Takes mails, except as the command line says."""

    def __init__(self, arguments):
        self.file = open(arguments.file, "a", encoding="utf-8")
        self.refused = set(arguments.refuse)
        later = (address.partition("=") for address in arguments.later)
        self.later = {address: answer or "451 4.3.0 Please come again later" for address, _, answer in later}

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address in self.refused:
            return "550 5.1.1 Nobody here has this address"
        if address in self.later:
            return self.later.pop(address)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        mail = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "data": envelope.content.decode("utf-8", "replace"),
        }
        self.file.write(json.dumps(mail) + "\n")
        self.file.flush()
        return "250 Taken"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--refuse", action="append", default=[], metavar="ADDRESS")
    parser.add_argument("--later", action="append", default=[], metavar="ADDRESS")
    sink = Sink(parser.parse_args())
    # Port 0 would make the controller's own check of it fail: the system picks one first.
    controller = FreePort(sink, hostname="127.0.0.1", port=0)
    controller.start()
    print(controller.server.sockets[0].getsockname()[1], flush=True)
    sys.stdin.read()
    controller.stop()


class FreePort(Controller):
    """A controller on a port that the system picks."""

    def _trigger_server(self):
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


if __name__ == "__main__":
    main()
