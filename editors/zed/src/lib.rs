//! Tells Zed how mangle-ls is started, and hands it the settings of the person.

use zed_extension_api::settings::LspSettings;
use zed_extension_api::{self as zed, Command, LanguageServerId, Result, Worktree, serde_json::Value};

const PROGRAM: &str = "mangle-ls";

struct Mangle;

/// What `lsp.mangle-ls` in the settings says, if it can be read.
fn settings(server: &LanguageServerId, worktree: &Worktree) -> Option<LspSettings> {
    LspSettings::for_worktree(server.as_ref(), worktree).ok()
}

impl zed::Extension for Mangle {
    fn new() -> Self {
        Self
    }

    /// The program of the settings, else the one on `PATH`.
    fn language_server_command(&mut self, server: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let binary = settings(server, worktree).and_then(|settings| settings.binary);
        let (path, arguments) = binary.map_or((None, None), |binary| (binary.path, binary.arguments));
        let command = path.or_else(|| worktree.which(PROGRAM)).ok_or_else(|| {
            format!(
                "`{PROGRAM}` is not on PATH. Install it with `cargo install --path .` in its repository, or set its path in \
                 settings.json: \"lsp\": {{ \"{PROGRAM}\": {{ \"binary\": {{ \"path\": \"/path/to/{PROGRAM}\", \
                 \"arguments\": [\"lsp\"] }} }} }}"
            )
        })?;
        let args = arguments.unwrap_or_else(|| vec!["lsp".to_owned()]);
        Ok(Command { command, args, env: worktree.shell_env() })
    }

    fn language_server_initialization_options(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<Value>> {
        let settings = settings(server, worktree);
        Ok(settings.and_then(|settings| settings.initialization_options.or(settings.settings)))
    }

    fn language_server_workspace_configuration(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<Value>> {
        Ok(settings(server, worktree).and_then(|settings| settings.settings))
    }
}

zed::register_extension!(Mangle);
