//! A server of the Model Context Protocol: agents call what the command line does, read-only, within some folders.
//!
//! Takes requests on standard input; answers on standard output. It computes nothing and knows no command: each tool (`tools`)
//! says which command it runs, and a function that runs a command in this process is given to
//! [`serve`]. So an answer is what the command writes, cut into `pages`. The way of a request: `server` → `call` (a thread, a
//! deadline, a cancellation) → `arguments` and `folders` (what is refused) → the command → `answer`.

mod answer;
mod arguments;
mod call;
mod command;
mod folders;
mod message;
mod pages;
mod prompts;
mod resources;
mod server;
mod tools;
mod transport;

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;

pub use command::{CommandAnswer, CommandRequest, RunCommand};

use call::Caller;
use folders::Folders;
use server::McpServer;
use transport::LineTransport;

/// The target of the log that receives whole messages, with the texts of files.
pub const LOGS_MESSAGES: &str = "rmcp";

/// How long the last responses may take to be written when the client has left.
const FAREWELL: Duration = Duration::from_secs(1);

/// Serves a client on standard input and output until it leaves. From now on this process reads only what lies in `folders` (the
/// folder `working` if there are none), and writes no file.
///
/// # Errors
/// When one of them is no folder, or the client does not begin as the protocol says.
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
        // A client may leave before it begins.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(error).context("the client did not begin with `initialize`"),
    }
}

/// Sends panics to the log, with the place but without values: messages quote what they stumbled over.
fn log_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        tracing::error!(%place, "internal error");
    }));
}
