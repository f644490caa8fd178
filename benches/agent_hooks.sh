#!/usr/bin/env bash
# How long an agent waits for `icr hook UserPromptSubmit`, from a cold process and with a server that keeps the index warm, in turn.
#
#   cargo build --release -p icr && benches/agent_hooks.sh REPOSITORY [RUNS]
#
# The repository is cloned into a temporary directory. Each run sends one prompt of a session of its own: the name of a definition, and where it
# stands. Milliseconds of the clock, because that is what the agent waits; the process that answers warm spends its CPU elsewhere.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source=${1:?a repository}
runs=${2:-40}
icr=${ICR:-$here/target/release/icr}
place=$(mktemp -d)
server=
stop() {
    if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; fi
    server=
}
trap 'stop; rm -rf "$place"' EXIT
export ICR_HOME=$place/home GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

git clone -q --no-tags "$source" "$place/repository"
cd "$place/repository"
"$icr" index -q
mapfile -t names < <("$icr" map --depth 3 --json | grep -o '"path": *"[^"]*"' | cut -d'"' -f4 | shuf --random-source=<(yes) -n "$runs")
[ "${#names[@]}" -gt 0 ] || names=(README)

# Milliseconds of a hook for the prompt $2 in a session named $1.
prompt() {
    local begin end
    printf '{"session_id":"%s","cwd":"%s","prompt":"How does %s work, and who calls it?"}' "$1" "$PWD" "$2" >"$place/payload"
    begin=${EPOCHREALTIME/./}
    "$icr" hook UserPromptSubmit --host claude-code <"$place/payload" >/dev/null
    end=${EPOCHREALTIME/./}
    printf '%d\n' $((end - begin)) >>"$place/$3"
}

for run in $(seq "$runs"); do
    name=${names[$((run % ${#names[@]}))]}
    prompt "cold-$run" "$name" cold
done
"$icr" watch -q >/dev/null 2>&1 &
server=$!
for _ in $(seq 100); do
    compgen -G "$ICR_HOME/run/*.sock" >/dev/null && break
    sleep 0.1
done
prompt warming "${names[0]}" first
for run in $(seq "$runs"); do
    name=${names[$((run % ${#names[@]}))]}
    prompt "warm-$run" "$name" warm
done

printf '%s files\n' "$(git ls-files | wc -l)"
for kind in cold warm; do
    sort -n "$place/$kind" | awk -v kind="$kind" '
        { times[NR] = $1 / 1000 }
        END { printf "%s: p50 %.0f ms, p95 %.0f ms of %d\n", kind, times[int((NR + 1) / 2)], times[int(NR * 0.95)], NR }'
done
