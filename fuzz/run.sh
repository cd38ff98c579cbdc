#!/bin/sh
# Builds the targets and runs each for a minute (600: ten minutes): run.sh [SECONDS] [TARGET ...]. Stops at the first crash.
# Like `cargo fuzz run --sanitizer none`, but dependencies are built without coverage (wrapper.sh).
set -eu
cd "$(dirname "$0")"
seconds=${1:-60}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- $(sed -n 's/^name = "\(.*\)"$/\1/p' Cargo.toml | grep -v ragtriage)
RUSTC_WRAPPER=$PWD/wrapper.sh cargo build --release --bins
programs=${CARGO_TARGET_DIR:-target}/release
[ -d /dev/shm ] && export TMPDIR=/dev/shm
for target in "$@"; do
    case $target in
    settings | lock) words=settings.dict ;;
    trec_run | qrels | smart | answer | rightness | chunk) words=columns.dict ;;
    *) words=json.dict ;;
    esac
    mkdir -p "corpus/$target" "artifacts/$target"
    echo "== $target"
    "$programs/$target" "corpus/$target" "seeds/$target" -dict="$words" -artifact_prefix="artifacts/$target/" \
        -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4096 -max_len=8192 -verbosity=0 -print_final_stats=1
done
