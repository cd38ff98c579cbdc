#!/bin/sh
# RUSTC_WRAPPER of run.sh: coverage for our own crates alone, so that hundreds of dependencies keep their ordinary build.
# The flags are cargo-fuzz's without a sanitizer.
rustc=$1; shift
case " $* " in
*" --crate-name ragtriage_"* | *" fuzz_targets/"*)
    exec "$rustc" "$@" --cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
        -Cllvm-args=-sanitizer-coverage-trace-compares -Cstrip=debuginfo
    ;;
esac
exec "$rustc" "$@"
