//! What a command can and cannot do, with all means that the kernel has and with some of them switched off.

#[cfg(unix)]
mod bounds;
#[cfg(unix)]
mod refusals;
#[cfg(target_os = "linux")]
mod sandbox;
#[cfg(target_os = "linux")]
mod stay;
#[cfg(unix)]
mod worktree;
