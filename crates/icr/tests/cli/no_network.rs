//! Nothing is asked of the network: the same commands print the same where there is none.

use icr_fixture::{Fixture, skip};

use crate::run::Icr;

#[test]
fn without_a_network_everything_is_answered_as_with_one() {
    let fixture =
        Fixture::new("//- a.rs\n/// Holds a ship.\nfn anchor() {}\n//- b.rs\nfn buoy() {\n    anchor();\n}\n");
    let icr = Icr::new(&fixture);
    // A namespace of its own has no interface that is up, so that no address can be reached, not even this machine's.
    let alone = icr.shell("unshare --user --map-root-user --net true");
    if alone.code != 0 {
        let lack = format!("there is no namespace without a network: {}", alone.stderr.trim());
        return skip("without_a_network_everything_is_answered_as_with_one", &lack);
    }
    let offline = icr.with_home(fixture.home().join("offline-home"));
    for command in
        ["index", "search anchor", "search --mode grep ship", "status", "model list", "model status", "doctor"]
    {
        let ran = offline.shell(&format!("unshare --user --map-root-user --net \"$0\" {command}"));
        let args: Vec<&str> = command.split(' ').collect();
        let expected = icr.run(&args);
        let printed = offline.filtered(&ran.stdout);
        assert_eq!((ran.code, printed), (expected.code, icr.filtered(&expected.stdout)), "{command}: {}", ran.stderr);
    }
    // Only processes that live long have a socket, and only on this machine.
    for home in [fixture.home().join("offline-home"), fixture.home().join("icr-home")] {
        assert!(!home.join("run").exists(), "{}", home.display());
    }
}
