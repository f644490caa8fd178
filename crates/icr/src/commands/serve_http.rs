//! `icr serve --http`

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use icr_http::{MemoryView, Server};
use icr_mcp::Settings;
use icr_serve::{STACK_BYTES, SharedMemory, Workshop};
use serde_json::json;

use crate::arguments::Global;
use crate::context::{configuration_around, home_path};
use crate::output::{Output, Style};
use crate::problem::{self, Usage};

/// Longest time for a question; a longer one is a mistake of the client.
const CALL_MOST: Duration = Duration::from_secs(30);

/// Threads that read and write requests; questions are worked on elsewhere.
const REQUEST_THREADS: usize = 2;

/// The address that was typed, else the configured one.
///
/// # Errors
///
/// If the text is not an address.
pub(super) fn address(global: &Global, typed: &str) -> anyhow::Result<SocketAddr> {
    let configured;
    let (text, place) = match typed {
        "" => {
            configured = configuration_around(global, &home_path()?)?.get_text("mcp.http_bind").to_owned();
            (configured.as_str(), "`mcp.http_bind`")
        }
        typed => (typed, "`--http`"),
    };
    // A port without an address means this machine's loopback address.
    let text =
        if text.bytes().all(|byte| byte.is_ascii_digit()) { format!("127.0.0.1:{text}") } else { text.to_owned() };
    let text = text.replace("localhost:", "127.0.0.1:");
    let address: SocketAddr = text.parse().map_err(|_| Usage {
        message: format!("{place} is `{text}`, which is no address with a port"),
        hint: Some("write it as `127.0.0.1:4000`, or as `4000`".to_owned()),
    })?;
    match address.ip().is_loopback() {
        true => Ok(address),
        false => Err(Usage {
            message: format!("{place} is `{address}`, which other machines can reach"),
            hint: Some("icr listens on 127.0.0.1 and [::1] only; `ssh -L 4000:127.0.0.1:4000` leads there".to_owned()),
        }
        .into()),
    }
}

/// Prints a link to the page of the server that listens on `address`.
///
/// # Errors
///
/// If no server listens there, or if the server there does not know the token in the home of icr.
pub(super) fn link(address: SocketAddr, output: &mut Output) -> anyhow::Result<u8> {
    let link = icr_http::link_of(address, &home_path()?).map_err(|error| Usage {
        message: error.to_string(),
        hint: Some(format!("`icr serve --http {address}` starts one")),
    })?;
    match output.is_json() {
        true => output.json(&json!({ "link": link }))?,
        false => output.line(&link)?,
    }
    Ok(problem::OK)
}

/// Listens on `address` until the process is told to end.
///
/// # Errors
///
/// If the address or the token is not available.
pub(super) fn serve(address: SocketAddr, mcp: Settings, global: &Global, output: &mut Output) -> anyhow::Result<u8> {
    let workshop = Workshop::new(mcp.places.clone(), mcp.limits.bounds());
    let memory = Arc::new(SharedMemory::new(mcp.memory.place.clone()));
    let settings = icr_http::Settings {
        address,
        home: mcp.places.home.clone(),
        version: mcp.version.clone(),
        clock: Arc::clone(&mcp.clock),
        workshop: Arc::clone(&workshop),
        memory: Arc::clone(&memory),
        memory_view: MemoryView { per_project: mcp.memory.per_project, cross_branch: mcp.memory.cross_branch },
        mask_credentials: mcp.mask_credentials,
        read_only: global.read_only,
        recorder: Arc::clone(&mcp.tracing.recorder),
        variables: mcp.variables,
        run_limit: mcp.limits.hard,
        call_limit: mcp.limits.hard.min(CALL_MOST),
        refusal_of: icr_mcp::refusal_of,
    };
    let (recorder, home) = (Arc::clone(&mcp.tracing.recorder), mcp.places.home.clone());
    let server = Server::bind(settings).map_err(|error| explain_address_error(error, address))?;
    print_server_address(&server, global, output)?;
    // The directory that a server was started in may be deleted, and no repository can be opened without a current
    // directory.
    std::env::set_current_dir(Path::new(std::path::MAIN_SEPARATOR_STR))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(REQUEST_THREADS)
        .thread_stack_size(STACK_BYTES)
        .enable_all()
        .build()?;
    let watching =
        (!global.read_only).then(|| icr_serve::keep_watched(home, Arc::clone(workshop.repositories()))).transpose()?;
    let (stop, stopped) = tokio::sync::oneshot::channel();
    stop_on_signals(stop)?;
    let stopped = async {
        // If the sender is gone, no signal can arrive, so the server runs on.
        if stopped.await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    let endpoint = icr_mcp::endpoint(Settings { socket: None, ..mcp }, workshop, memory);
    let served = runtime.block_on(server.serve(endpoint, stopped));
    drop(watching);
    // Questions that were given up may still be at work.
    runtime.shutdown_background();
    recorder.flush();
    served?;
    Ok(problem::OK)
}

/// An error with a hint about what to do when the address is not available.
fn explain_address_error(error: icr_http::Error, address: SocketAddr) -> anyhow::Error {
    match error {
        icr_http::Error::Taken(_) => Usage {
            message: error.to_string(),
            hint: Some(format!(
                "if it is icr, `icr serve --http {address} --link` prints a link to its page; else choose another port"
            )),
        }
        .into(),
        other => other.into(),
    }
}

fn print_server_address(server: &Server, global: &Global, output: &mut Output) -> anyhow::Result<()> {
    let (address, token, link) = (server.address(), server.token_path(), server.link()?);
    if output.is_json() {
        let told =
            json!({ "address": address, "mcp": format!("http://{address}/mcp"), "link": link, "token_file": token });
        output.line(told.to_string())?;
    } else {
        let faint = |output: &Output, text: &str| output.styled(Style::Faint, text);
        if !global.quiet {
            let programs = faint(output, "agents");
            output.line(format_args!("{programs}    http://{address}/mcp"))?;
            let programs = faint(output, "programs");
            output.line(format_args!("{programs}  http://{address}/api/openapi.json"))?;
            let place = faint(output, "token");
            output.line(format_args!("{place}     {}", token.display()))?;
        }
        let page = faint(output, "page");
        let once = faint(output, "  (works once, within five minutes)");
        output.line(format_args!("{page}      {link}{once}"))?;
    }
    Ok(output.flush()?)
}

/// Stops the server at the first signal. The second one ends the process as if there was no handler.
#[cfg(unix)]
fn stop_on_signals(stop: tokio::sync::oneshot::Sender<()>) -> anyhow::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    std::thread::spawn(move || {
        let mut stop = Some(stop);
        for signal in signals.forever() {
            match stop.take() {
                Some(stop) => drop(stop.send(())),
                None => drop(signal_hook::low_level::emulate_default_handler(signal)),
            }
        }
    });
    Ok(())
}

#[cfg(not(unix))]
fn stop_on_signals(stop: tokio::sync::oneshot::Sender<()>) -> anyhow::Result<()> {
    // The sender must not be dropped, because that would wake the receiver.
    std::mem::forget(stop);
    Ok(())
}
