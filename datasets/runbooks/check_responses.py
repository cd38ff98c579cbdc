#!/usr/bin/env python3
"""Compares responses.jsonl with the prompts that ragtriage sends.

Runs ragtriage against an endpoint on this machine that stores the key of every prompt and gives the same answer to all. Other
arguments are passed to `ragtriage run`; `--` begins the arguments of another run:

    check_responses.py --set 'retrieval.retrievers=["bm25"]'
    check_responses.py -- --set 'retrieval.retrievers=["bm25"]' -- --set retrieval.k=10    # the default and two others

Prints up to ten prompts without a response, and counts those and the responses without a prompt, which belong to configurations that
were not given. The exit status is 1 if a prompt has no response or a key occurs twice, 2 if a run fails.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HERE = Path(__file__).resolve().parent
KEY_DIGITS = 32
SHOWN = 10


def key_of(messages):
    """Returns the key of a prompt: the first hex digits of sha256 over system message, line feed, user message."""
    by_role = {message["role"]: message["content"] for message in messages}
    text = by_role.get("system", "") + "\n" + by_role["user"]
    return hashlib.sha256(text.encode()).hexdigest()[:KEY_DIGITS]


def question_of(messages):
    """Returns the line of a prompt that holds the question."""
    lines = messages[-1]["content"].splitlines()
    return next((line for line in reversed(lines) if line.startswith("Question:")), "")


def endpoint(prompts):
    """Returns a server that adds the key and question of each prompt to `prompts`."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            prompts[key_of(body["messages"])] = question_of(body["messages"])
            reply = {"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Answer: x"}}]}
            data = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)


def responses_in(path):
    """Returns the keys of the recorded responses; the first line is a header."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [line["key"] for line in lines[1:]]


def groups(arguments):
    """Splits the arguments at `--`."""
    found = [[]]
    for argument in arguments:
        if argument == "--":
            found.append([])
        else:
            found[-1].append(argument)
    return found


def run(program, config, port, arguments):
    """Runs ragtriage on one configuration; returns True on success."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", str(config), "--no-cache", "--json", "--out", folder]
        command += ["--set", "generation.generator=openai", "--set", "generation.model=check"]
        command += ["--set", f"generation.base_url=http://127.0.0.1:{port}/v1", *arguments]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        print(done.stderr, file=sys.stderr)
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="%(prog)s [OPTIONS] [ARGUMENT ...] [-- ARGUMENT ...] ...",
        allow_abbrev=False,
    )
    parser.add_argument("--program", default="ragtriage", help="the program [default: ragtriage]")
    parser.add_argument("--config", type=Path, default=HERE.parents[1] / "config/runbooks.toml", help="configuration file")
    parser.add_argument("--responses", type=Path, default=HERE / "responses.jsonl", help="file of recorded responses")
    first, *others = groups(sys.argv[1:])
    own, first = parser.parse_known_args(first)

    prompts = {}
    server = endpoint(prompts)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for arguments in [first, *others]:
        if not run(own.program, own.config, server.server_port, arguments):
            return 2
    server.shutdown()

    keys = responses_in(own.responses)
    recorded = set(keys)
    missing = [key for key in prompts if key not in recorded]
    duplicates = len(keys) - len(recorded)
    for key in missing[:SHOWN]:
        print(f"no response: {key}  {prompts[key]}")
    print(f"prompts without a response: {len(missing)} of {len(prompts)}")
    print(f"responses without a prompt: {len(recorded - prompts.keys())} of {len(recorded)}")
    print(f"duplicate keys: {duplicates}")
    return 1 if missing or duplicates else 0


if __name__ == "__main__":
    sys.exit(main())
