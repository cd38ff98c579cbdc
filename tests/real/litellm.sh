#!/usr/bin/env bash
# The shipped runbooks against a real third-party server of the protocol: the LiteLLM proxy with mock responses.
#
#   tests/real/litellm.sh [PROGRAM]     PROGRAM: target/release/ragtriage unless given
#
# Needs python3 with venv, pip and its package index; no key and no model. Takes some three minutes, one of them for a rate
# limit to pass. Not part of `cargo test`: that needs no network. Prints a line a check; exit 1 when one fails.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../.." && pwd)
program=$(realpath "${1:-$repository/target/release/ragtriage}")
work=$(mktemp -d)
key=sk-real-$RANDOM$RANDOM$RANDOM
proxy=
trap '[ -z "$proxy" ] || kill "$proxy"; rm -rf "$work"' EXIT

python=${LITELLM_PYTHON:-}
if [ -z "$python" ]; then
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check 'litellm[proxy]'
    python=$work/venv/bin/python
fi
port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cd "$work"
LITELLM_MASTER_KEY=$key LITELLM_LOCAL_MODEL_COST_MAP=True \
    "$(dirname "$python")/litellm" --config "$here/litellm.yaml" --host 127.0.0.1 --port "$port" >proxy.log 2>&1 &
proxy=$!
for _ in $(seq 120); do
    "$python" -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$port/health/liveliness')" 2>/dev/null && break
    sleep 1
done
echo "LiteLLM $("$python" -c 'import importlib.metadata as m; print(m.version("litellm"))'), $("$program" --version)"

failed=0
check() { # check WHAT COMMAND...
    local what=$1
    shift
    if "$@"; then echo "ok      $what"; else echo "FAILED  $what" && failed=1; fi
}

served() { grep -c '"POST /v1/chat/completions' proxy.log || true; }

# run NAME MODEL ARGS...: sets code; output in NAME.out and NAME.err
run() {
    local name=$1 model=$2
    shift 2
    code=0
    REAL_KEY=$key RAGTRIAGE_CACHE=$work/cache "$program" run "$repository/config/runbooks.toml" --out "$work/runs" --name "$name" \
        --set 'retrieval.retrievers=["bm25"]' --set generation.generator=openai --set "generation.model=$model" \
        --set "generation.base_url=http://127.0.0.1:$port/v1" --set generation.api_key_env=REAL_KEY \
        "$@" >"$name.out" 2>"$name.err" || code=$?
}

# traces NAME EXPRESSION: a Python expression over `traces` (the run's) and `attempts` (theirs, all arms)
traces() {
    "$python" - "$work/runs/$1/traces.jsonl" "$2" <<'PYTHON'
import json, sys
last = {}
for line in open(sys.argv[1]):
    trace = json.loads(line)
    last[trace["index"]] = trace
traces = list(last.values())
attempts = [attempt for trace in traces for condition in trace["conditions"] for attempt in condition["attempts"]]
called = [attempt for attempt in attempts if attempt["origin"] == "called"]
sys.exit(0 if eval(sys.argv[2]) else 1)
PYTHON
}

one_arm=(--set 'evaluation.conditions=["retrieved"]')

run dry mock --dry-run
check "a dry run asks nothing and writes no run" test "$code $(served) $(ls runs 2>/dev/null | wc -l)" = "0 0 0"
calls=$(awk '$1 == "all" { print $5 }' dry.out)
cat dry.out

run good mock
check "all questions are answered: exit 0" test "$code" = 0
check "as many calls as the dry run said: $calls" test "$(served)" = "$calls"
check "every trace has every arm's answer, none failed" traces good \
    'len(traces) == 24 and all(a["extracted"] == "eight" and not a.get("error") for a in attempts)'
check "its usage numbers are recorded: 10 prompt and 20 answer tokens a call, as it mocks them" traces good \
    'called and all(a["tokens"]["prompt_billed"] == 10 and a["tokens"]["completion"] == 20 for a in called)'

before=$(served)
run again mock
check "a second run is served from the cache: no call" test "$code $(served)" = "0 $before"
check "and says so in its traces" traces again 'not called'

run streamed mock --set 'generation.extra_body={stream=true}'
check "streaming is refused before a call: exit 2" test "$code $(served)" = "2 $before"

run nosuch no-such-model "${one_arm[@]}"
check "a wrong model name: exit 2, rejected with status 400, not tried again" \
    grep -q 'rejected the call: status 400: .*Invalid model name' nosuch.err
check "exit 2" test "$code" = 2

key_before=$key
key=sk-wrong-$RANDOM$RANDOM
run wrongkey mock --no-cache "${one_arm[@]}"
check "a wrong key: exit 2, rejected" test "$code $(grep -c 'rejected the call' wrongkey.err)" = "2 1"
check "the wrong key is nowhere" bash -c "! grep -rqF '$key' runs cache *.out *.err"
key=$key_before

run toolong too-long "${one_arm[@]}" --limit 2
check "a context that is exceeded: exit 2, too long, not tried again" grep -q 'the prompt is too long for' toolong.err

before=$(served)
run busy always-429 "${one_arm[@]}" --limit 1 --set http.timeout_s=2
check "429 for ever: exit 2, tried again, then given up" \
    test "$code $(grep -c 'is busy or failing: status 429' busy.err) $(($(served) - before > 1))" = "2 1 1"

before=$(served)
run broken always-500 "${one_arm[@]}" --limit 1 --set http.timeout_s=10
check "500 for ever: exit 2, tried again, then given up" \
    test "$code $(grep -c 'is busy or failing: status 500' broken.err) $(($(served) - before > 1))" = "2 1 1"

run slow slow "${one_arm[@]}" --limit 5
check "a rate limit of 3 a minute is waited for: exit 0" test "$code" = 0
check "all 5 questions are answered" traces slow 'len(traces) == 5 and all(a["extracted"] == "eight" for a in attempts)'
check "some calls got 429 meanwhile" grep -q '"POST /v1/chat/completions HTTP/1.1" 429' proxy.log

check "the key is nowhere in runs, cache and output" bash -c "! grep -rqF '$key' runs cache *.out *.err"
exit $failed
