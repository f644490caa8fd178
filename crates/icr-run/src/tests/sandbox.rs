//! Files, the network and the kernel, out of reach.

use std::fs;
use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};

use super::worktree::{NAMESPACES, Worktree, has, run};
use crate::{CommandOutcome, SandboxMeans};

/// With all means; with all but a view; without namespaces; with namespaces alone.
const WITHOUT: [&[SandboxMeans]; 4] =
    [&[], &[SandboxMeans::PrivateView], &NAMESPACES, &[SandboxMeans::Landlock, SandboxMeans::Seccomp]];

/// Runs `script` with some means after the other, and `holds` looks at what came of it wherever `guard` says that it
/// was held.
fn check(script: impl Fn(&Worktree) -> String, holds: impl Fn(&Worktree, &CommandOutcome) -> bool) {
    for without in WITHOUT {
        let worktree = Worktree::new();
        let outcome = worktree.shell_without(&script(&worktree), without);
        if outcome.sandbox.files.is_held {
            assert!(holds(&worktree, &outcome), "without {without:?}: {outcome:?}");
        } else {
            assert!(!outcome.sandbox.files.missing.is_empty(), "what is missing is said: {outcome:?}");
        }
    }
}

#[test]
fn what_holds_is_what_was_not_switched_off() {
    let worktree = Worktree::new();
    for without in WITHOUT {
        let sandbox = worktree.shell_without("true", without).sandbox;
        for guard in [&sandbox.files, &sandbox.network, &sandbox.processes] {
            assert!(guard.by.iter().all(|means| !without.contains(means)), "{without:?}: {guard:?}");
            assert!(guard.missing.iter().all(|missing| !guard.by.contains(&missing.means)), "{guard:?}");
            // Whoever is told that something is not held is told why.
            assert!(if guard.is_held { !guard.by.is_empty() } else { !guard.missing.is_empty() }, "{guard:?}");
        }
    }
    // On a kernel that has everything, everything is used: what is missing has a reason.
    let sandbox = worktree.shell("true").sandbox;
    let all = [SandboxMeans::PrivateView, SandboxMeans::Landlock].map(|means| (means, &sandbox.files));
    for (means, guard) in all.into_iter().chain([(SandboxMeans::NetworkNamespace, &sandbox.network)]) {
        assert!(guard.by.contains(&means) || guard.missing.iter().any(|missing| missing.means == means), "{guard:?}");
    }
}

#[test]
fn keys_in_the_home_are_not_read() {
    let script = |worktree: &Worktree| {
        let key = worktree.home.join(".ssh/id");
        let key = key.display();
        format!(
            "cat {key}; ln -s {key} src/link; cat src/link; cat /proc/self/root{key}; cat ~/.ssh/*; ls {key}/..; true"
        )
    };
    check(script, |_, outcome| !outcome.stdout.text().contains("SECRET"));
}

#[test]
fn no_program_is_left_that_runs_as_the_user() {
    use std::os::unix::fs::PermissionsExt;
    let script = |_: &Worktree| {
        "cp /bin/true src/own; chmod u+s src/own; chmod 4755 src/own; chmod 2755 src/own; install -m 6755 /bin/true src/other; true"
            .to_owned()
    };
    for without in WITHOUT.into_iter().filter(|without| !without.contains(&SandboxMeans::Seccomp)) {
        let worktree = Worktree::new();
        let outcome = worktree.shell_without(&script(&worktree), without);
        if outcome.sandbox.processes.by.contains(&SandboxMeans::Seccomp) {
            for entry in fs::read_dir(worktree.root.join("src")).expect("a directory").flatten() {
                let mode = entry.metadata().expect("a file").permissions().mode();
                assert_eq!(mode & 0o6000, 0, "{:?} without {without:?}: {outcome:?}", entry.path());
            }
        }
    }
}

#[test]
fn files_beside_the_worktree_are_not_written() {
    let script = |worktree: &Worktree| {
        let path = worktree.beside("file");
        fs::write(&path, "before").expect("a file");
        let path = path.display();
        format!("echo after > {path}; : > {path}; rm -f {path}; mv {path} src/; ln {path} src/; touch {path}-new; true")
    };
    let holds = |worktree: &Worktree, _: &CommandOutcome| {
        let text = fs::read_to_string(worktree.beside("file"));
        text.is_ok_and(|text| text == "before") && !worktree.beside("file-new").exists()
    };
    check(script, holds);
}

#[test]
fn the_worktree_is_written() {
    let script =
        |_: &Worktree| "echo new > src/new && mkdir -p src/a/b && mv src/file src/a/b && rm -r src/a".to_owned();
    check(script, |worktree, outcome| outcome.status.is_success() && worktree.root.join("src/new").exists());
    let worktree = Worktree::new();
    let outcome = worktree.shell("mkdir target && echo x > target/x");
    let is_made = worktree.root.join("target/x").exists();
    let is_said = outcome.sandbox.files.notes.iter().any(|note| note.contains("git directories are kept read-only"));
    assert!(is_made != is_said, "{outcome:?}");
}

#[test]
fn git_directories_are_read_and_not_written() {
    let script = |_: &Worktree| {
        "cat .git/config; echo x > .git/hooks/pre-commit; echo x >> .git/config; mv .git .moved; rm -rf .git; \
         ln .git/config src/config; echo x >> src/config; echo x > src/hook; mv src/hook .git/hooks/hook; true"
            .to_owned()
    };
    let holds = |worktree: &Worktree, outcome: &CommandOutcome| {
        let config = fs::read_to_string(worktree.root.join(".git/config"));
        let hooks = fs::read_dir(worktree.root.join(".git/hooks"));
        outcome.stdout.text().starts_with("[core]\n")
            && config.is_ok_and(|config| config == "[core]\n")
            && hooks.is_ok_and(|hooks| hooks.count() == 0)
    };
    check(script, holds);
}

#[test]
fn a_git_directory_elsewhere_is_read_and_not_written() {
    for without in WITHOUT {
        let worktree = Worktree::new();
        let elsewhere = worktree.beside("main/.git");
        fs::create_dir_all(&elsewhere).expect("a directory");
        fs::write(elsewhere.join("HEAD"), "ref").expect("a file");
        let path = elsewhere.display();
        let script = format!("cat {path}/HEAD; echo x > {path}/HEAD; touch {path}/new; true");
        let mut command = worktree.command(&["sh", "-c", &script]);
        command.git_directories.push(elsewhere.clone());
        command.without = without.to_vec();
        let outcome = run(&command).expect("it was run");
        if outcome.sandbox.files.is_held {
            assert_eq!(outcome.stdout.text(), "ref", "{outcome:?}");
            assert_eq!(fs::read_to_string(elsewhere.join("HEAD")).expect("it is there"), "ref");
            assert!(!elsewhere.join("new").exists());
        }
    }
}

#[test]
fn places_of_the_user_are_what_the_user_says() {
    for without in WITHOUT {
        let worktree = Worktree::new();
        let (readable, writable) = (worktree.beside("readable"), worktree.beside("writable"));
        for place in [&readable, &writable] {
            fs::create_dir(place).expect("a directory");
            fs::write(place.join("file"), "x").expect("a file");
        }
        let script = format!(
            "cat {r}/file {w}/file; echo y > {w}/new; echo y > {r}/new; true",
            r = readable.display(),
            w = writable.display()
        );
        let mut command = worktree.command(&["sh", "-c", &script]);
        command.readable = vec![readable.clone(), "/no/such/place".into(), "relative".into()];
        command.writable = vec![writable.clone()];
        command.without = without.to_vec();
        let outcome = run(&command).expect("it was run");
        if outcome.sandbox.files.is_held {
            assert_eq!(outcome.stdout.text(), "xx", "{outcome:?}");
            assert!(writable.join("new").exists() && !readable.join("new").exists(), "{outcome:?}");
        }
    }
}

#[test]
fn a_home_of_the_run_is_written_and_forgotten() {
    let worktree = Worktree::new();
    let outcome = worktree.shell("mkdir -p ~/.cache/x && echo y > ~/.cache/x/y && cat ~/.cache/x/y");
    if outcome.sandbox.files.by.contains(&SandboxMeans::PrivateView) {
        assert_eq!(outcome.stdout.text(), "y\n", "{outcome:?}");
        assert!(!worktree.home.join(".cache").exists());
    }
}

#[test]
fn hashes_of_passwords_are_not_read() {
    check(|_| "cat /etc/shadow /etc/gshadow; true".to_owned(), |_, outcome| outcome.stdout.total == 0);
}

#[test]
fn the_memory_and_the_environment_of_the_supervisor_are_not_read() {
    let script =
        "for p in 1 $PPID; do cat /proc/$p/environ; head -c 1 /proc/$p/maps; readlink /proc/$p/cwd; done; true";
    for without in WITHOUT {
        let worktree = Worktree::new();
        let outcome = worktree.shell_without(script, without);
        assert_eq!(outcome.stdout.text(), "", "without {without:?}: {outcome:?}");
    }
}

/// Runs a program of Python with means after means; `reached` says whether it got somewhere that it should not.
fn check_network(program: &str, mut reached: impl FnMut() -> bool) {
    if !has("python3") {
        return;
    }
    let worktree = Worktree::new();
    for without in WITHOUT {
        let mut command = worktree.command(&["python3", "-c", program]);
        command.without = without.to_vec();
        let outcome = run(&command).expect("it was run");
        if outcome.sandbox.network.is_held {
            assert!(!reached(), "without {without:?}: {outcome:?}");
            assert!(!outcome.status.is_success(), "{outcome:?}");
        }
        let _ = reached();
    }
}

#[test]
fn tcp_reaches_nobody() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    listener.set_nonblocking(true).expect("an option");
    let port = listener.local_addr().expect("its address").port();
    let program = format!("import socket; socket.create_connection(('127.0.0.1', {port}), 5)");
    check_network(&program, || listener.accept().is_ok());
}

#[test]
fn udp_reaches_nobody() {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    socket.set_nonblocking(true).expect("an option");
    let port = socket.local_addr().expect("its address").port();
    let send = format!("s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'x', ('127.0.0.1', {port}))");
    let program = format!("import socket, sys; {send}; sys.exit(1)");
    check_network(&program, || match socket.recv(&mut [0; 8]) {
        Ok(_) => true,
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    });
}

#[test]
fn sockets_of_this_machine_reach_nobody() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("socket");
    let listener = UnixListener::bind(&path).expect("a socket");
    listener.set_nonblocking(true).expect("an option");
    // With no seccomp and no view nothing holds it, which the means that are switched off above never are together.
    let connect = "s = socket.socket(socket.AF_UNIX); s.connect";
    check_network(&format!("import socket; {connect}('{}')", path.display()), || listener.accept().is_ok());

    let name = format!("icr-run-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).expect("an address");
    let listener = UnixListener::bind_addr(&address).expect("a socket");
    listener.set_nonblocking(true).expect("an option");
    check_network(&format!("import socket; {connect}('\\0{name}')"), || listener.accept().is_ok());
}

#[test]
fn the_network_is_there_when_it_is_allowed() {
    if !has("python3") {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    listener.set_nonblocking(true).expect("an option");
    let port = listener.local_addr().expect("its address").port();
    let program = format!("import socket; socket.create_connection(('127.0.0.1', {port}), 5)");
    let worktree = Worktree::new();
    for without in WITHOUT {
        let mut command = worktree.command(&["python3", "-c", &program]);
        command.without = without.to_vec();
        command.network = true;
        let outcome = run(&command).expect("it was run");
        assert!(outcome.status.is_success() && listener.accept().is_ok(), "without {without:?}: {outcome:?}");
        assert!(!outcome.sandbox.network.is_held);
    }
}

#[test]
fn a_loopback_of_its_own_works() {
    let worktree = Worktree::new();
    let program = "import socket; l = socket.create_server(('127.0.0.1', 0)); \
                   socket.create_connection(l.getsockname(), 5); print('connected')";
    if !has("python3") {
        return;
    }
    let outcome = run(&worktree.command(&["python3", "-c", program])).expect("it was run");
    if outcome.sandbox.network.by.contains(&SandboxMeans::NetworkNamespace) {
        assert_eq!(outcome.stdout.text(), "connected\n", "{outcome:?}");
    }
}

#[test]
fn calls_that_no_project_needs_are_refused() {
    if !has("python3") {
        return;
    }
    let worktree = Worktree::new();
    // io_uring_setup, unshare of a user namespace, and keyctl have these numbers on x86-64; the first on ARM64 too.
    let calls =
        if cfg!(target_arch = "x86_64") { "(425, 1, 0), (272, 0x10000000), (250, 0, 0)" } else { "(425, 1, 0)," };
    let program = format!(
        "import ctypes; c = ctypes.CDLL(None, use_errno=True); \
         print([(c.syscall(*call), ctypes.get_errno()) for call in ({calls})])"
    );
    for without in [&[][..], &NAMESPACES] {
        let mut command = worktree.command(&["python3", "-c", &program]);
        command.without = without.to_vec();
        let outcome = run(&command).expect("it was run");
        if outcome.sandbox.processes.by.contains(&SandboxMeans::Seccomp) {
            let expected = if cfg!(target_arch = "x86_64") { "[(-1, 38), (-1, 1), (-1, 1)]\n" } else { "[(-1, 38)]\n" };
            assert_eq!(outcome.stdout.text(), expected, "{outcome:?}");
        }
    }
}

#[test]
fn nobody_has_capabilities_or_gets_them() {
    let worktree = Worktree::new();
    for without in WITHOUT {
        let outcome = worktree.shell_without("grep -E '^(CapEff|CapBnd|CapPrm|NoNewPrivs)' /proc/self/status", without);
        let text = outcome.stdout.text();
        assert!(text.contains("NoNewPrivs:\t1"), "{outcome:?}");
        assert!(
            text.contains("CapEff:\t0000000000000000") && text.contains("CapPrm:\t0000000000000000"),
            "{outcome:?}"
        );
    }
}
