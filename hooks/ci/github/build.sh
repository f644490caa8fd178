#!/usr/bin/env bash
# Builds icr into $PROGRAM unless a cache brought it, and puts it on the path of later steps.
set -euo pipefail

if [ ! -x "$PROGRAM/bin/icr" ]; then
    cargo install --locked --path "$ACTION_PATH/../../../crates/icr" --root "$PROGRAM"
fi
printf '%s\n' "$PROGRAM/bin" >> "$GITHUB_PATH"
