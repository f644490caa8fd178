//! Real agents with icr in them, and what their models are sent: the plugin by Claude Code and its validator, the files of `icr init` by Codex and
//! Copilot CLI. A model on a loopback address says always the same.
//!
//! `ICR_TEST_AGENT_CLIENTS` names the directory that `from-packages`, beside this file, fills.

mod model;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use icr_fixture::{Fixture, path_from};

use model::Model;

const CLIENTS: &str = "ICR_TEST_AGENT_CLIENTS";

const FILES: &str = r#"//- src/sessions.py
"""Login sessions and their tokens."""


class Sessions:
    def expire_sessions(self, now):
        """Drop each login session whose token is too old."""
        return [session for session in self.sessions if session.age(now) < LONGEST]
//- src/render.py
def render_page(page):
    """Turn a page into markup."""
    return page.markup()
"#;

const PROMPT: &str = "How does Sessions.expire_sessions decide when a login session token is too old?";

/// What the model says, whatever it is asked.
const ANSWER: &str = "It compares ages.\n\nLedger:\n- Decisions: [tokens live for thirty days]\n";

/// An agent in an indexed repository, with a home of its own.
struct World {
    fixture: Fixture,
    clients: PathBuf,
    model: Model,
}

impl World {
    fn new(clients: PathBuf) -> Self {
        let fixture = Fixture::new(FILES);
        fixture.commit("sessions");
        let world = Self { fixture, clients, model: Model::start(ANSWER) };
        world.icr(&["index", "--quiet"]);
        world
    }

    fn home(&self) -> PathBuf {
        self.fixture.home().join("user")
    }

    /// A program that finds `icr` and the clients, and nothing else of the machine's environment.
    fn command(&self, program: impl AsRef<Path>) -> Command {
        let icr = Path::new(env!("CARGO_BIN_EXE_icr"));
        let programs = [icr.parent().expect("it lies in a directory"), &self.clients.join("node_modules/.bin")];
        let path = programs.map(|directory| directory.display().to_string()).join(":");
        #[expect(clippy::disallowed_methods, reason = "agents are programs, and icr is run as they run it")]
        let mut command = Command::new(program.as_ref());
        std::fs::create_dir_all(self.home()).expect("a directory can be made");
        command.env_clear().current_dir(self.fixture.root()).stdin(std::process::Stdio::null());
        command.env("HOME", self.home()).env("PATH", format!("{path}:/usr/local/bin:/usr/bin:/bin"));
        command
    }

    fn icr(&self, args: &[&str]) -> String {
        let output = self.command(env!("CARGO_BIN_EXE_icr")).args(args).output().expect("icr runs");
        text(&output)
    }

    fn client(&self, name: &str) -> Command {
        let mut command = self.command(self.clients.join("node_modules/.bin").join(name));
        command.env("DISABLE_TELEMETRY", "1").env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
        command
    }

    /// What the model was sent has places to look and the state of the index.
    #[track_caller]
    fn assert_told(&self) {
        let sent = self.model.requests().join("\n");
        assert!(sent.contains("Likely places in this repository"), "the prompt came alone: {sent}");
        assert!(sent.contains("src/sessions.py"), "{sent}");
        assert!(sent.contains("icr has an index of"), "the session began without a word: {sent}");
        assert!(sent.contains("env_search"), "the tools are not there: {sent}");
        let listed = self.icr(&["ledger"]);
        assert!(listed.contains("tokens live for thirty days"), "{listed}");
    }
}

#[track_caller]
fn text(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

fn plugin() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../hooks/claude")
}

#[test]
fn claude_code_takes_the_plugin_and_its_model_gets_what_the_hooks_say() {
    let Some(clients) = path_from(CLIENTS, "the plugin in Claude Code") else { return };
    let world = World::new(clients);
    for part in [plugin(), plugin().join("plugin")] {
        let validated = world.client("claude").args(["plugin", "validate", "--strict"]).arg(&part).output();
        text(&validated.expect("Claude Code runs"));
    }
    let mut claude = world.client("claude");
    claude.env("ANTHROPIC_BASE_URL", world.model.address()).env("ANTHROPIC_API_KEY", "sk-ant-none");
    let answered = claude.args(["-p", PROMPT, "--plugin-dir"]).arg(plugin().join("plugin")).output();
    assert!(text(&answered.expect("Claude Code runs")).contains("It compares ages."));
    world.assert_told();
}

#[test]
fn codex_takes_what_init_writes_and_its_model_gets_what_the_hooks_say() {
    let Some(clients) = path_from(CLIENTS, "icr in Codex") else { return };
    let world = World::new(clients);
    let codex_home = world.home().join(".codex");
    std::fs::create_dir_all(&codex_home).expect("a directory can be made");
    let config = format!(
        "model = \"any\"\nmodel_provider = \"loopback\"\n\n[model_providers.loopback]\nname = \"loopback\"\nbase_url = \"{}/v1\"\n\
         wire_api = \"responses\"\nenv_key = \"LOOPBACK_KEY\"\n",
        world.model.address()
    );
    std::fs::write(codex_home.join("config.toml"), &config).expect("a file can be written");
    world.icr(&["init", "--tool", "codex", "--mode", "mcp", "--yes"]);
    world.icr(&["init", "--tool", "codex", "--mode", "hook", "--yes"]);
    let mut codex = world.client("codex");
    codex.env("LOOPBACK_KEY", "none").args(["exec", "--dangerously-bypass-hook-trust"]);
    codex.args(["--dangerously-bypass-approvals-and-sandbox", PROMPT]);
    assert!(text(&codex.output().expect("Codex runs")).contains("It compares ages."));
    world.assert_told();
    world.icr(&["uninstall"]);
    assert_eq!(std::fs::read_to_string(codex_home.join("config.toml")).expect("it is there"), config);
}

#[test]
fn copilot_takes_what_init_writes_and_its_model_gets_what_the_hooks_say() {
    let Some(clients) = path_from(CLIENTS, "icr in Copilot CLI") else { return };
    let world = World::new(clients);
    std::fs::create_dir_all(world.home().join(".copilot")).expect("a directory can be made");
    world.icr(&["init", "--tool", "copilot", "--mode", "mcp,hook", "--yes"]);
    let mut copilot = world.client("copilot");
    copilot.env("COPILOT_OFFLINE", "true").env("COPILOT_MODEL", "any").env("COPILOT_AUTO_UPDATE", "false");
    copilot.env("COPILOT_PROVIDER_BASE_URL", format!("{}/v1", world.model.address()));
    copilot.env("COPILOT_PROVIDER_API_KEY", "none").args(["-p", PROMPT, "--allow-all-tools"]);
    assert!(text(&copilot.output().expect("Copilot runs")).contains("It compares ages."));
    world.assert_told();
    let said = world.icr(&["search", "--scope", "transcript", "compares ages"]);
    assert!(said.contains("/events.jsonl"), "{said}");
    world.icr(&["uninstall"]);
    let left = |name: &str| world.home().join(".copilot").join(name).exists();
    assert_eq!([left("hooks"), left("mcp-config.json")], [false, false]);
}
