#!/usr/bin/env bash
# What the git hooks of icr cost git: a commit and a rebase of 200 commits, with and without hooks in turn, in a temporary clone
# of a repository (or in a generated one of 1,000 files). Pairs, because machines drift; medians, because they are noisy.
#
#   cargo build --release -p icr && benches/hooks.sh [REPOSITORY] [PAIRS]
#
# Wall is what a user waits for. CPU is that of git and of what it waits for, without what hooks leave running.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source=${1:-}
pairs=${2:-7}
icr=${ICR:-$here/target/release/icr}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export ICR_HOME=$place/home GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_EDITOR=true
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

repository=$place/repository
if [ -n "$source" ]; then
    git clone -q --shared --no-tags "$source" "$repository"
else
    git init -q "$repository"
    mkdir "$repository/src"
    for i in $(seq 1000); do printf 'fn f%d() {}\n' "$i" >"$repository/src/f$i.rs"; done
fi
cd "$repository"
git config gc.auto 0
git add -A && git commit -q --allow-empty -m start
git checkout -q -b onto && git commit -q --allow-empty -m onto && git checkout -q -b topic HEAD~1
for i in $(seq 200); do
    printf '%d\n' "$i" >"measured-$((i % 20))-$i.txt"
    git add "measured-$((i % 20))-$i.txt" && git commit -q -m "$i"
done
"$icr" index -q

# Waits until nothing of icr is at work here, so that one run does not pay for the one before. What a hook leaves running takes a moment
# to begin.
settle() {
    sleep 0.3
    while pgrep -f "hook (git|serve|resume) " >/dev/null; do sleep 0.1; done
}

# Runs a command and writes milliseconds of wall and of CPU into the file $1.
timed() {
    local file=$1 line
    shift
    TIMEFORMAT='%R %U %S'
    line=$({ time "$@" >/dev/null 2>&1; } 2>&1)
    awk '{ printf "%.3f %.3f\n", $1 * 1000, ($2 + $3) * 1000 }' <<<"$line" >>"$file"
}

with() { "$icr" hooks install -q >/dev/null; }
without() { "$icr" hooks uninstall -q >/dev/null; }

commit() { git commit -q --allow-empty -m measured; }
rebase() { git rebase -q onto work; }

for pair in $(seq "$pairs"); do
    order="without with"
    [ $((pair % 2)) = 0 ] && order="with without"
    for hooks in $order; do
        $hooks
        ICR_DISABLE_HOOKS=1 git checkout -q -B work topic
        settle
        timed "$place/rebase.$hooks" rebase
        ICR_DISABLE_HOOKS=1 git checkout -q -B commits onto
        for _ in 1 2 3; do
            settle
            timed "$place/commit.$hooks" commit
        done
    done
done
without

# Median of a column of a file, of differences, and of ratios of two files.
median() { sort -n | awk '{ all[NR] = $1 } END { print NR % 2 ? all[(NR + 1) / 2] : (all[NR / 2] + all[NR / 2 + 1]) / 2 }'; }
printf '%-8s %-5s %12s %12s %14s %8s\n' what clock 'without ms' 'with ms' 'difference ms' ratio
for what in commit rebase; do
    for clock in 1 2; do
        column() { cut -d' ' -f$clock "$place/$what.$1"; }
        pairs() { paste -d' ' <(column without) <(column with); }
        printf '%-8s %-5s %12.2f %12.2f %14.2f %8.3f\n' "$what" "$([ $clock = 1 ] && echo wall || echo CPU)" \
            "$(column without | median)" "$(column with | median)" \
            "$(pairs | awk '{ print $2 - $1 }' | median)" "$(pairs | awk '$1 > 0 { print $2 / $1 }' | median)"
    done
done
