//! Classification of shell commands in tool calls, and the commands that the runtime rejects.

use std::collections::BTreeMap;

use super::AnyValue;

/// The effect of a shell command, derived from its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShellEffect {
    /// No command is present.
    None,
    /// The command reads.
    ReadOnly,
    /// The command builds or tests.
    Verification,
    /// The command writes.
    Mutating,
    /// The effect is unknown and treated as writing.
    Unknown,
}

impl ShellEffect {
    /// Returns the name of the effect in the runtime.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ReadOnly => "read_only",
            Self::Verification => "verification",
            Self::Mutating => "mutating",
            Self::Unknown => "unknown_mutating",
        }
    }

    /// True if the runtime runs commands with this effect.
    #[must_use]
    pub fn is_allowed(self) -> bool {
        matches!(self, Self::ReadOnly | Self::Verification)
    }
}

/// Tools that pass a command to a shell or a process.
const TOOLS: [&str; 14] = [
    "run_command",
    "bash",
    "sh",
    "pwsh",
    "powershell",
    "cmd",
    "shell",
    "exec",
    "run_shell",
    "run_build",
    "run_tests",
    "git_diff",
    "git_log",
    "git_operation",
];

/// Substrings of commands that write.
const WRITING: [&str; 40] = [
    "git add",
    "git am",
    "git apply",
    "git checkout",
    "git cherry-pick",
    "git clean",
    "git commit",
    "git fetch",
    "git merge",
    "git mv",
    "git pull",
    "git push",
    "git rebase",
    "git reset",
    "git restore",
    "git rm",
    "git stash",
    "git switch",
    "git tag",
    "rm ",
    "rm\t",
    "rmdir",
    "shutil.rmtree",
    "rmtree",
    ".unlink(",
    " unlink(",
    "os.remove",
    "os.unlink",
    "del ",
    "erase ",
    "remove-item",
    "clear-content",
    "set-content",
    "add-content",
    "new-item",
    "move-item",
    "copy-item",
    "rename-item",
    "out-file",
    "export-csv",
];

/// More substrings of commands that write.
const WRITING_ITEMS: [&str; 2] = ["set-item", "set-acl"];

/// Options that make a reading command write files or start programs.
const WRITING_OPTIONS: [&str; 4] = ["--output", "--ext-diff", "--textconv", " -o "];

/// Prefixes of commands that read.
const READING: [&str; 35] = [
    "git status",
    "git diff",
    "git log",
    "git show",
    "git ls-files",
    "git rev-parse",
    "git grep",
    "git blame",
    "git cat-file",
    "git worktree list",
    "git branch --show-current",
    "git branch --list",
    "ls",
    "dir",
    "tree",
    "cat",
    "head",
    "tail",
    "grep",
    "rg",
    "wc",
    "pwd",
    "whoami",
    "echo",
    "python --version",
    "python3 --version",
    "node --version",
    "get-childitem",
    "get-content",
    "get-item",
    "get-location",
    "test-path",
    "resolve-path",
    "select-string",
    "write-output",
];

/// Prefixes of commands that build or test.
const VERIFYING: [&str; 24] = [
    "go test",
    "go vet",
    "go list",
    "go version",
    "go build",
    "cargo test",
    "cargo check",
    "cargo build",
    "npm test",
    "npm run build",
    "pytest",
    "python -m pytest",
    "python3 -m pytest",
    "dotnet test",
    "dotnet build",
    "mvn test",
    "mvn package",
    "gradle test",
    "gradle build",
    "./gradlew test",
    "./gradlew build",
    "cmake --build",
    "ctest",
    "bazel test",
];

/// Commands after a pipe that only shorten or sort.
const PIPED: [&str; 8] = ["head", "tail", "cat", "wc", "grep", "rg", "sort", "uniq"];

/// True if a tool passes a command to a shell or a process.
#[must_use]
pub fn is_shell_tool(tool: &str) -> bool {
    TOOLS.contains(&tool.trim().to_lowercase().as_str())
}

/// Returns the command of a shell tool call.
#[must_use]
pub fn command(tool: &str, args: Option<&BTreeMap<String, AnyValue>>) -> String {
    let word = |name: &str| match args.and_then(|args| args.get(name)) {
        Some(AnyValue::Text(text)) => text.trim(),
        _ => "",
    };
    let join = |base: &str, names: &[&str]| {
        let parts = std::iter::once(base.trim()).chain(names.iter().map(|name| word(name)));
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    };
    let own = || {
        let texts = ["command", "script", "cmd", "content"].into_iter().filter_map(|name| args?.get(name));
        texts
            .filter_map(|value| match value {
                AnyValue::Text(text) if !text.trim().is_empty() => Some(text.clone()),
                _ => None,
            })
            .next()
            .unwrap_or_default()
    };
    match tool.trim().to_lowercase().as_str() {
        "git_diff" => join("git diff", &["commit", "path"]),
        "git_log" => join("git log", &["format", "since", "author", "path"]),
        "git_operation" => {
            join(&format!("git {}", word("operation")), &["args", "message", "branch", "files"])
        }
        tool @ ("run_build" | "run_tests") if own().is_empty() => {
            let tests = join("go test", &["pattern"]);
            if tool == "run_build" || tests == "go test" { format!("{tool} (auto-detected)") } else { tests }
        }
        "run_tests" => join(&own(), &["pattern"]),
        _ => own(),
    }
}

/// Returns the effect of a shell tool call.
#[must_use]
pub fn effect(tool: &str, args: Option<&BTreeMap<String, AnyValue>>) -> ShellEffect {
    let command = command(tool, args);
    let verifies = ["run_build", "run_tests"].contains(&tool.trim().to_lowercase().as_str());
    if verifies && command.ends_with(" (auto-detected)") {
        return ShellEffect::Verification;
    }
    // A write after a separator also makes the effect mutating. For other tools, the effect is
    // unknown.
    if verifies && writes(&command.to_lowercase()) { ShellEffect::Mutating } else { effect_of(&command) }
}

/// Returns the runtime's reason for rejecting a call, or `None` if the call is allowed.
#[must_use]
pub fn shell_refusal(tool: &str, args: Option<&BTreeMap<String, AnyValue>>) -> Option<String> {
    let effect = effect(tool, args);
    let why = match effect {
        _ if !is_shell_tool(tool) || effect.is_allowed() => return None,
        ShellEffect::None => "has no command payload".to_owned(),
        effect => format!("is {} and lacks deterministic task-scope authorization", effect.word()),
    };
    Some(format!("blocked by shell-effect gate: {tool} {why}"))
}

fn writes(command: &str) -> bool {
    WRITING.iter().chain(&WRITING_ITEMS).any(|text| command.contains(text))
}

fn effect_of(command: &str) -> ShellEffect {
    if command.trim().is_empty() {
        return ShellEffect::None;
    }
    let command = without_pipes(command.trim());
    let lower = command.to_lowercase();
    if command.contains(['\r', '\n', ';', '|', '&', '>', '<', '`']) || lower.contains("$(") {
        return ShellEffect::Unknown;
    }
    let begins_with = |prefix: &&str| {
        lower.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
    };
    if writes(&lower) {
        ShellEffect::Mutating
    } else if WRITING_OPTIONS.iter().any(|option| lower.contains(option)) {
        ShellEffect::Unknown
    } else if READING.iter().any(begins_with) {
        ShellEffect::ReadOnly
    } else if VERIFYING.iter().chain(&["bazel build"]).any(begins_with) {
        ShellEffect::Verification
    } else {
        ShellEffect::Unknown
    }
}

/// Removes a trailing `2>&1` and trailing pipes into commands that only shorten or sort.
fn without_pipes(mut command: &str) -> &str {
    loop {
        command = command.trim();
        if let Some(rest) = command.strip_suffix("2>&1") {
            command = rest;
            continue;
        }
        let Some((before, tail)) = command.rsplit_once('|') else { return command };
        let first = tail.split_whitespace().next().unwrap_or_default().to_lowercase();
        let is_plain = !tail.contains(['\r', '\n', ';', '`', '&', '>', '<']) && !tail.contains("$(");
        if !is_plain || !PIPED.contains(&first.as_str()) {
            return command;
        }
        command = before;
    }
}
