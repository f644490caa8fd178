//! What the system is asked for: no command opens a socket but on this machine for those that live long, and none starts a program but git and icr.

use std::collections::BTreeSet;

use icr_fixture::{Fixture, skip};

use crate::run::Icr;

const FILES: &str = "//- src/dock.py\ndef moor_ship():\n    return 1\n\
                     //- src/ask.py\nfrom dock import moor_ship\n\n\ndef ask():\n    return moor_ship()\n\
                     //- Makefile\ntest:\n\ttrue\n\
                     //- .gitattributes\n*.py diff=hostile filter=hostile\n";

/// Commands of all kinds, in an order in which each has something to do; `--help` lists them all.
const COMMANDS: &[&str] = &[
    "index",
    "sync",
    "status",
    "search moor",
    "search --mode grep moor",
    "search --scope diffs moor",
    "search --scope all moor",
    "symbols moor",
    "map",
    "read src/dock.py",
    "slice src/dock.py moor_ship",
    "refs moor_ship",
    "neighbors src/dock.py",
    "graph",
    "cochange src/dock.py",
    "pack moor",
    "context moor",
    "plan moor",
    "aggregate count a b",
    "pin src/dock.py",
    "pins",
    "unpin src/dock.py",
    "ledger",
    "compact",
    "clear",
    "store --topic ships --content moored",
    "recall moored",
    "list",
    "topics",
    "stats",
    "health",
    "decay",
    "recall-context moored",
    "prune",
    "memory log",
    "export",
    "memoir list",
    "undo",
    "calibrate",
    "impact",
    "impact HEAD~1..HEAD",
    "impact HEAD~1..HEAD --format html",
    "commands",
    "metrics",
    "traces",
    "model list",
    "model status",
    "repo list",
    "hooks install",
    "hooks status",
    "hooks uninstall",
    "init --dry-run",
    "uninstall --dry-run",
    "gc",
    "doctor",
    "config show",
    "config reference",
    "config unset rlm.enabled",
    "completions bash",
    "man",
];

/// What one run asked for.
#[derive(Debug, Default)]
struct SystemCalls {
    /// Programs, by the path that was started.
    programs: BTreeSet<String>,
    /// Kinds of sockets.
    sockets: BTreeSet<String>,
}

/// `None` where nobody may watch processes.
fn asked(icr: &Icr, fixture: &Fixture, command: &str) -> Option<SystemCalls> {
    let log = fixture.home().join("calls");
    let traced = format!(
        "strace -f -qq -s 4096 -e trace=execve,execveat,socket,connect,sendto,bind -o '{}' \"$0\" {command} </dev/null",
        log.display()
    );
    let ran = icr.shell(&traced);
    let calls = std::fs::read_to_string(&log).ok().filter(|calls| calls.contains("execve("))?;
    assert!(ran.code <= 1, "{command}: {}", ran.stderr);
    let mut asked = SystemCalls::default();
    for call in calls.lines() {
        let call = call.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ' ');
        if call.starts_with("execve") && call.ends_with("= 0") {
            asked.programs.extend(call.split('"').nth(1).map(str::to_owned));
        } else if let Some(rest) = call.strip_prefix("socket(") {
            asked.sockets.insert(rest.split(',').next().unwrap_or_default().to_owned());
        }
    }
    Some(asked)
}

fn world() -> (Fixture, Icr) {
    let fixture = Fixture::new(FILES);
    fixture.write("//- src/dock.py\ndef moor_ship(ship):\n    return ship\n");
    fixture.commit("second");
    fixture.write("//- src/dock.py\ndef moor_ship(ship, dock):\n    return ship\n");
    // What a repository may name, and nobody may run.
    for (key, value) in [
        ("core.fsmonitor", "touch started; false"),
        ("core.pager", "touch started"),
        ("core.sshCommand", "touch started"),
        ("diff.hostile.command", "touch started"),
        ("diff.hostile.textconv", "touch started"),
        ("filter.hostile.clean", "touch started; cat"),
        ("filter.hostile.smudge", "touch started; cat"),
        ("credential.helper", "!touch started"),
        ("gpg.program", "touch started"),
        ("alias.status", "!touch started"),
    ] {
        fixture.git(&["config", key, value]);
    }
    let icr = Icr::new(&fixture);
    (fixture, icr)
}

#[test]
fn no_command_opens_a_socket_or_starts_a_program_of_others() {
    const NAME: &str = "no_command_opens_a_socket_or_starts_a_program_of_others";
    let (fixture, icr) = world();
    if asked(&icr, &fixture, "--version").is_none() {
        return skip(NAME, "there is no `strace`, or it may not watch processes");
    }
    let own = env!("CARGO_BIN_EXE_icr");
    for command in COMMANDS {
        let asked = asked(&icr, &fixture, command).expect("the one before was watched");
        assert_eq!(asked.sockets, BTreeSet::new(), "{command}");
        let others: Vec<_> = asked.programs.iter().filter(|path| *path != own && !path.ends_with("/git")).collect();
        assert!(others.is_empty(), "{command}: {others:?}");
        assert!(!fixture.root().join("started").exists(), "{command}");
    }
}

#[test]
fn a_server_opens_sockets_of_this_machine_only() {
    const NAME: &str = "a_server_opens_sockets_of_this_machine_only";
    let (fixture, icr) = world();
    icr.json(&["index"]);
    let Some(asked) = asked(&icr, &fixture, "mcp") else {
        return skip(NAME, "there is no `strace`, or it may not watch processes");
    };
    assert!(asked.sockets.iter().all(|kind| kind == "AF_UNIX"), "{asked:?}");
    assert!(asked.programs.iter().all(|path| path == env!("CARGO_BIN_EXE_icr")), "{asked:?}");
}

#[test]
fn the_list_of_commands_is_whole() {
    // What waits for events or input, is about other programs or an id, or takes long, is tried elsewhere.
    const ELSEWHERE: [&str; 18] = [
        "bench",
        "bench-agent",
        "bench-impact",
        "bench-pack",
        "bench-recall",
        "bench-retrieval",
        "ci",
        "consolidate",
        "embed",
        "extract",
        "forget",
        "hook",
        "import",
        "map-reduce",
        "mcp",
        "run",
        "update",
        "watch",
    ];
    let fixture = Fixture::new("//- a.rs\nfn a() {}\n");
    let help = Icr::new(&fixture).run(&["--help"]).stdout;
    let listed = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        // Descriptions go on further right.
        .filter(|line| !line.starts_with("   "));
    let names = listed.filter_map(|line| line.split_whitespace().next());
    let tried: BTreeSet<&str> =
        COMMANDS.iter().filter_map(|command| command.split(' ').next()).chain(ELSEWHERE).collect();
    let left: Vec<&str> = names.filter(|name| !tried.contains(name) && *name != "help").collect();
    assert!(left.is_empty(), "{left:?}");
}
