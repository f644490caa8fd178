#!/usr/bin/env bash
# Says whether icr is on the path, and a digest of the sources that it would be built from.
set -euo pipefail

found=false
if command -v icr > /dev/null; then
    found=true
fi
# The action lies in icr's own repository.
cd "$ACTION_PATH/../../.."
source=$(find Cargo.lock Cargo.toml crates -type f -print0 | LC_ALL=C sort -z | xargs -0 cat | git hash-object --stdin)
printf 'found=%s\nsource=%s\n' "$found" "$source" >> "$GITHUB_OUTPUT"
