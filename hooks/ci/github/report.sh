#!/usr/bin/env bash
# Runs `icr ci`, and leaves its exit code to a later step: a failing report is still uploaded and shown.
set -euo pipefail

# A shallow clone does not show which repository it is, and an index is of use only to its own repository.
ICR_REPO_ID=$(printf '%016x' "$GITHUB_REPOSITORY_ID")
export ICR_REPO_ID

arguments=("--out=$OUT" "--fail-on=$FAIL_ON")
if [ -n "$BASE" ]; then
    arguments+=("--base=$BASE")
fi
code=0
icr ci "${arguments[@]}" || code=$?
printf 'code=%s\n' "$code" >> "$GITHUB_OUTPUT"
