//! Model Context Protocol server: agents run read-only commands of the command line within some
//! folders.
//!
//! Requests arrive on standard input, and responses are written to standard output. The server
//! itself contains no analysis: each tool in `tools` defines its command, and [`serve`] receives a
//! function that runs a command in this process. A result is the output of the command, cut into
//! `pages`.
//!
//! Path of a request: `server` → `call` (a thread, a deadline, a cancellation) → `arguments`
//! (validation, folders) → the command → `pages`.

mod arguments;
mod call;
mod message;
mod pages;
mod server;
mod tools;
mod transport;

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;

use arguments::Folders;
use call::Caller;
use server::McpServer;
use transport::LineTransport;

pub use call::{CommandAnswer, CommandRequest, RunCommand};

/// The log target that receives whole messages, including file texts.
pub const LOGS_MESSAGES: &str = "rmcp";

/// The time to write the last responses after the client has disconnected.
const FAREWELL: Duration = Duration::from_secs(1);

/// Serves a client on standard input and output until it disconnects. From this call on, the
/// process reads only files in `folders` (default: the folder `working`) and writes no files.
///
/// # Errors
///
/// If one of them is not a folder, or the client violates the protocol at initialization.
pub fn serve(folders: &[PathBuf], working: &Path, run: RunCommand) -> anyhow::Result<()> {
    let folders = Folders::new(folders, working)?;
    folders.confine();
    log_panics();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .context("cannot start the connection")?;
    let input = BufReader::new(std::io::stdin());
    let (transport, written) =
        LineTransport::start(input, std::io::stdout()).context("cannot start the connection")?;
    let served = runtime.block_on(serve_client(Caller::new(folders, run), transport));
    drop(runtime);
    written.wait(FAREWELL);
    served
}

async fn serve_client(caller: Caller, transport: LineTransport) -> anyhow::Result<()> {
    match McpServer::new(caller).serve(transport).await {
        Ok(service) => {
            service.waiting().await.context("the connection ended")?;
            Ok(())
        }
        // A client may disconnect before initialization.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(error).context("the client did not begin with `initialize`"),
    }
}

/// Sends panics to the log. Only the position is logged, because messages may quote user data.
fn log_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        tracing::error!(%place, "internal error");
    }));
}
