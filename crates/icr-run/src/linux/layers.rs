//! The sandbox means of a run, and what follows from missing ones.

use super::landlock::Abilities;
use super::report::{SandboxStep, StepFailure};
use super::seccomp::Wishes;
use super::sys;
use crate::{MissingMeans, Protection, Sandbox, SandboxMeans, SandboxedCommand};

/// The means that a run is tried with.
#[derive(Debug, Clone)]
pub(super) struct SandboxLayers {
    pub(super) user_namespace: bool,
    pub(super) pid_namespace: bool,
    pub(super) view: bool,
    pub(super) own_proc: bool,
    pub(super) own_network: bool,
    pub(super) landlock: Option<Abilities>,
    pub(super) seccomp: bool,
    network_is_allowed: bool,
    missing: Vec<MissingMeans>,
    notes_of_files: Vec<String>,
}

impl SandboxLayers {
    /// All means, except those that `command` asks to go without.
    pub(super) fn for_command(command: &SandboxedCommand<'_>) -> Self {
        let mut layers = Self {
            user_namespace: true,
            pid_namespace: true,
            view: true,
            own_proc: true,
            own_network: !command.network,
            landlock: None,
            seccomp: true,
            network_is_allowed: command.network,
            missing: Vec::new(),
            notes_of_files: Vec::new(),
        };
        match Abilities::of_kernel() {
            Ok(abilities) => layers.landlock = Some(abilities),
            Err(why) => layers.miss(SandboxMeans::Landlock, &why),
        }
        for means in &command.without {
            layers.miss(*means, "it was switched off");
        }
        layers
    }

    /// Drops `means` and everything that depends on it.
    fn miss(&mut self, means: SandboxMeans, why: &str) {
        match means {
            SandboxMeans::UserNamespace => self.user_namespace = false,
            SandboxMeans::PidNamespace => (self.pid_namespace, self.own_proc) = (false, false),
            SandboxMeans::PrivateView => self.view = false,
            SandboxMeans::NetworkNamespace => self.own_network = false,
            SandboxMeans::Landlock => self.landlock = None,
            SandboxMeans::Seccomp => self.seccomp = false,
            SandboxMeans::Supervisor | SandboxMeans::ProcessGroup => return,
        }
        if !self.missing.iter().any(|missing| missing.means == means) {
            self.missing.push(MissingMeans { means, why: why.to_owned() });
        }
        if means == SandboxMeans::UserNamespace && !sys::is_root() {
            for means in [SandboxMeans::PidNamespace, SandboxMeans::PrivateView, SandboxMeans::NetworkNamespace] {
                self.miss(means, &format!("it needs a user namespace: {why}"));
            }
        }
    }

    /// Namespaces to make, as flags of `clone`.
    pub(super) fn namespaces(&self) -> i32 {
        let flag = |is_wished: bool, flag| if is_wished { flag } else { 0 };
        // A user namespace is only useful together with another one.
        flag(self.user_namespace && (self.pid_namespace || self.view || self.own_network), libc::CLONE_NEWUSER)
            | flag(self.pid_namespace, libc::CLONE_NEWPID | libc::CLONE_NEWIPC)
            | flag(self.view, libc::CLONE_NEWNS)
            | flag(self.own_network, libc::CLONE_NEWNET)
    }

    /// Drops the means whose namespaces the kernel refused; `false` if none is left to drop.
    pub(super) fn refuse_namespaces(&mut self, why: &str) -> bool {
        if self.user_namespace {
            self.miss(SandboxMeans::UserNamespace, why);
            return true;
        }
        let had_any = self.namespaces() != 0;
        for means in [SandboxMeans::PidNamespace, SandboxMeans::PrivateView, SandboxMeans::NetworkNamespace] {
            self.miss(means, why);
        }
        had_any
    }

    /// Drops Landlock, for the reason `why`.
    pub(super) fn refuse_landlock(&mut self, why: &str) {
        self.miss(SandboxMeans::Landlock, why);
    }

    /// Drops the means that `failure` shows to be refused, for the reason `why`; `false` if the failed step is not
    /// optional.
    pub(super) fn refuse(&mut self, failure: StepFailure, why: &str) -> bool {
        match failure.step {
            SandboxStep::View => self.miss(SandboxMeans::PrivateView, why),
            SandboxStep::Proc if self.own_proc => {
                self.own_proc = false;
                self.notes_of_files.push(format!("the run has no `/proc` of its own: {why}"));
            }
            SandboxStep::Landlock => self.miss(SandboxMeans::Landlock, why),
            SandboxStep::Seccomp => self.miss(SandboxMeans::Seccomp, why),
            _ => return false,
        }
        true
    }

    /// The settings of the system call filter.
    pub(super) fn wishes(&self) -> Wishes {
        Wishes {
            allows_internet: self.own_network || self.network_is_allowed,
            allows_local_sockets: self.view || self.landlock.is_some_and(Abilities::holds_socket_paths),
            allows_tracing: self.pid_namespace,
        }
    }

    /// The description of this sandbox for the outcome.
    pub(super) fn sandbox(&self) -> Sandbox {
        let landlock = self.landlock;
        let files = [(SandboxMeans::PrivateView, self.view), (SandboxMeans::Landlock, landlock.is_some())];
        let mut files = self.guard(&files, self.view || landlock.is_some());
        files.notes.clone_from(&self.notes_of_files);
        if !(self.view && self.own_proc) {
            files.notes.push("command lines of other processes can be read in `/proc`".to_owned());
        }
        if !self.view && landlock.is_some() {
            let note = "git directories are kept read-only by granting what stands beside them: in a directory that has \
                        one, nothing can be made, renamed or removed";
            files.notes.push(note.to_owned());
        }
        if !self.view && landlock.is_some() {
            let note =
                "modes, times and attributes of the user's other files can be changed, though not read or written";
            files.notes.push(note.to_owned());
        }
        if !self.view && landlock.is_some_and(|abilities| !abilities.holds_truncation()) {
            files.notes.push("this Landlock does not keep readable files from being emptied".to_owned());
        }

        let tcp = landlock.is_some_and(Abilities::holds_tcp) && !self.own_network;
        let network = [
            (SandboxMeans::NetworkNamespace, self.own_network),
            (SandboxMeans::Seccomp, self.seccomp),
            (SandboxMeans::Landlock, tcp),
        ];
        let mut network = self.guard(&network, self.own_network || self.seccomp);
        if self.network_is_allowed {
            network = Protection { notes: vec!["the network was allowed".to_owned()], ..Protection::default() };
        } else if self.seccomp && !self.wishes().allows_local_sockets {
            network.notes.push("programs can make no sockets at all, pairs of them excepted".to_owned());
        }
        if !self.seccomp && !self.view && !landlock.is_some_and(Abilities::holds_socket_paths) {
            network.notes.push("sockets of the file system are in reach".to_owned());
        }

        if self.own_network && !self.seccomp {
            network.notes.push("sockets to a host of virtual machines are in reach".to_owned());
        }

        let scopes = landlock.is_some_and(Abilities::holds_scopes);
        let processes = [
            (SandboxMeans::PidNamespace, self.pid_namespace),
            (SandboxMeans::Supervisor, !self.pid_namespace),
            (SandboxMeans::Landlock, scopes),
            (SandboxMeans::Seccomp, self.seccomp),
        ];
        let mut processes = self.guard(&processes, self.pid_namespace || scopes);
        if !self.pid_namespace && !scopes {
            let note = "programs can end their supervisor; what then hides its environment stays";
            processes.notes.push(note.to_owned());
        }
        if !self.pid_namespace {
            processes.notes.push("priorities of the user's other processes can be changed".to_owned());
        }
        Sandbox { files, network, processes }
    }

    fn guard(&self, means: &[(SandboxMeans, bool)], is_held: bool) -> Protection {
        let by = means.iter().filter(|(_, is_there)| *is_there).map(|(means, _)| *means).collect();
        let concerns = |missing: &&MissingMeans| means.iter().any(|(means, _)| *means == missing.means);
        let missing = self.missing.iter().filter(concerns).cloned().collect();
        Protection { is_held, by, missing, notes: Vec::new() }
    }
}

/// What `sandbox` lacks for a command that requires a sandbox: one sentence for each missing protection.
pub(super) fn lacks(sandbox: &Sandbox, network_is_allowed: bool) -> Vec<String> {
    let mut things = vec![("its files", &sandbox.files)];
    if !network_is_allowed {
        things.push(("it off the network", &sandbox.network));
    }
    let things = things.into_iter().filter(|(_, guard)| !guard.is_held);
    things
        .map(|(thing, guard)| {
            let why = guard.missing.iter().map(|missing| format!("{}: {}", missing.means.name(), missing.why));
            format!("{thing} ({})", why.collect::<Vec<_>>().join("; "))
        })
        .collect()
}
