#!/usr/bin/env bash
# SQuAD against a server on loopback, killed (kill -9) and resumed again and again: summary.json must come out as that of an
# undisturbed run, and no more calls be made twice than were in flight at the kills. Wants python3 and `cargo build --release`;
# the questions are fetched from ../shared/data/squad where they are not there yet. KILLS=12 by default.
set -euo pipefail
cd "$(dirname "$0")/../.."

program=${RAGTRIAGE:-./target/release/ragtriage}
kills=${KILLS:-12}
concurrency=8
[ -d datasets/fetched/squad ] || "$program" dataset fetch squad --from ../shared/data/squad

out=$(mktemp -d)
server=
trap 'kill "$server" 2>/dev/null || true; rm -rf "$out"' EXIT

# Answers with words of the first passage that the prompt's hash chooses, after 2 ms; counts calls by prompt.
cat >"$out/server.py" <<'PY'
import collections, hashlib, http.server, json, re, sys, threading, time

calls, lock = collections.Counter(), threading.Lock()

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def answer(self, body):
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def do_GET(self):
        with lock:
            self.answer(json.dumps({"calls": sum(calls.values()), "prompts": len(calls)}).encode())

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        prompt = body["messages"][-1]["content"]
        with lock:
            calls[prompt] += 1
        time.sleep(0.002)
        passage = re.search(r"\[1\][^\n]*\n([^\n]*)", prompt)
        words = passage.group(1).split() if passage else ["nobody", "knows"]
        at = int(hashlib.sha256(prompt.encode()).hexdigest(), 16) % len(words)
        content = "Answer: " + " ".join(words[at : at + 2])
        self.answer(json.dumps({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}).encode())

    def log_message(self, *_):
        pass

class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_):
        pass  # a client that was killed breaks its connections off

server = Server(("127.0.0.1", 0), Handler)
open(sys.argv[1], "w").write(str(server.server_port))
server.serve_forever()
PY

serve() {
  [ -z "$server" ] || kill "$server"
  rm -f "$out/port"
  python3 "$out/server.py" "$out/port" &
  server=$!
  until [ -s "$out/port" ]; do sleep 0.1; done
  url="http://127.0.0.1:$(cat "$out/port")"
}

cat >"$out/squad.toml" <<TOML
[dataset]
format = "squad"
path = "$PWD/datasets/fetched/squad"

[retrieval]
retrievers = ["bm25"]

[generation]
generator = "openai"
model = "loopback"

[http]
concurrency = $concurrency
TOML


run() { "$program" run "$out/squad.toml" --out "$out/runs" --no-cache --set "generation.base_url=$url/v1" "$@"; }
counts() { curl --silent "$url"; }

serve
started=$(date +%s.%N)
run --name whole >/dev/null 2>"$out/stderr" || { cat "$out/stderr"; exit 1; }
took=$(python3 -c "import time; print(time.time() - $started)")
whole=$(counts)
echo "undisturbed: $took s, $whole"

serve
RANDOM=5
n_broken=0
for kill in $(seq "$kills"); do
  how=(--resume killed)
  [ -d "$out/runs/killed" ] || how=(--name killed)
  run "${how[@]}" >/dev/null 2>"$out/stderr" &
  running=$!
  # Each time another share of what the run takes if it must redo nothing.
  sleep "$(python3 -c "print($took * ($RANDOM / 32768) * 2 / $kills)")"
  if kill -9 "$running" 2>/dev/null; then n_broken=$((n_broken + 1)); fi
  wait "$running" 2>/dev/null || true
  echo "kill $kill: $(cat "$out/runs/killed/traces.jsonl" 2>/dev/null | wc -l) traces, $(counts)"
done
how=(--resume killed)
[ -d "$out/runs/killed" ] || how=(--name killed)
run "${how[@]}" >/dev/null 2>"$out/stderr" || { cat "$out/stderr"; exit 1; }
killed=$(counts)

python3 - "$out" "$whole" "$killed" "$n_broken" "$concurrency" <<'PY'
import json, sys
out, whole, killed, n_broken, concurrency = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3]), *map(int, sys.argv[4:])
summaries = [json.load(open(f"{out}/runs/{name}/summary.json")) for name in ("whole", "killed")]
for summary in summaries:
    for key in ("seconds", "tokens", "cost_usd"):
        del summary[key]
assert summaries[0] == summaries[1], [key for key in summaries[0] if summaries[0][key] != summaries[1][key]]
traces = [json.loads(line) for line in open(f"{out}/runs/killed/traces.jsonl")]
assert len(traces) == len({trace["question"]["id"] for trace in traces}) == summaries[0]["n_questions"], "a trace a question"
passages = {json.loads(line)["id"] for line in open(f"{out}/runs/killed/passages.jsonl")}
named = {hit["id"] for trace in traces for stage in trace["stages"] for hit in stage["hits"]}
assert named <= passages, "a passage is missing"
assert killed["prompts"] == whole["prompts"], "the same prompts"
repeated = killed["calls"] - whole["calls"]
assert repeated <= n_broken * concurrency, f"{repeated} calls made again after {n_broken} kills"
print(f"{summaries[0]['n_questions']} questions, killed {n_broken} times: the same summary, {repeated} of {killed['calls']} calls made again")
PY
