//! Standard output that can be closed by its reader, and messages on standard error.
//!
//! All output is masked for credentials (unless an option shows them) and stripped of control
//! sequences.

use std::io::{self, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use clap::ColorChoice;

use super::stream::{self, StdStream, Stream};
use mangle_host::{Problem, SettingsProblems, plain, relative};
use mangle_report::sink;
use mangle_syntax::parallel;
use piggyback::envelope::secrets::redacted;

/// The kind of content on standard output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Medium {
    /// Text for people, or a line-based format.
    #[default]
    Text,
    /// Text with colors, from a writer that escapes its content.
    Coloured,
    /// Workflow commands of a CI server, which start lines.
    Commands,
    /// JSON.
    Json,
    /// A machine-readable table. Its cells are unchanged, except for credentials.
    Table,
    /// A file for another program, written unchanged. Credentials in names were rejected earlier.
    Artifact,
    /// Text of the tool itself, such as the examples of its rules.
    Own,
}

impl Medium {
    /// [`Medium::Json`] if `is_json`, otherwise [`Medium::Text`].
    pub(super) fn json_if(is_json: bool) -> Self {
        if is_json { Self::Json } else { Self::Text }
    }

    /// Removes credentials and control sequences.
    fn cleaned(self, text: &str) -> String {
        match self {
            Self::Text => sink::without_commands(&sink::stream(&redacted(text), false)),
            Self::Coloured => sink::without_commands(&sink::stream(&redacted(text), true)),
            Self::Commands => sink::stream(&redacted(text), false),
            Self::Json => sink::json(&redacted(text)).into_owned(),
            Self::Table => redacted(text).into_owned(),
            Self::Artifact | Self::Own => text.to_owned(),
        }
    }
}

/// Buffered standard output. If the reader closes the stream (`| head`), the rest is dropped.
pub(super) struct Output {
    stream: Stream,
    medium: Medium,
    waiting: String,
    is_closed: bool,
}

/// Buffer size in bytes.
const PIECE: usize = 64 << 10;

/// Number of items of a list that are rendered before they are written.
const BATCH: usize = 4096;

/// Number of items whose credentials are searched together.
const GROUP: usize = 16;

/// Minimum number of groups per thread.
const MIN_GROUPS_PER_THREAD: usize = 2;

impl Output {
    /// Standard output, with colors if `color` and the terminal support them.
    pub(super) fn new(color: ColorChoice) -> Self {
        Self::stdout(Medium::Text, color)
    }

    /// Standard output for a medium.
    pub(super) fn stdout(medium: Medium, color: ColorChoice) -> Self {
        // JSON has no colors, so the stream does not search for them.
        let color = if medium == Medium::Json { stream::AS_IT_IS } else { choice(color) };
        Self {
            stream: Stream::new(StdStream::Output, color),
            medium,
            waiting: String::new(),
            is_closed: false,
        }
    }

    /// True if colors are shown.
    pub(super) fn has_colours(&self) -> bool {
        self.medium != Medium::Json && self.stream.has_colours()
    }

    /// True if the reader closed the stream.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Writes text that can contain colors.
    pub(super) fn write(&mut self, text: &str) -> io::Result<()> {
        self.waiting.push_str(text);
        if self.waiting.len() >= PIECE { self.flush() } else { Ok(()) }
    }

    /// Renders and writes items in order. Rendering and the search for credentials run on all
    /// cores.
    pub(super) fn write_each<T: Sync>(
        &mut self,
        items: &[T],
        render: impl Fn(&T) -> String + Sync,
    ) -> io::Result<()> {
        self.flush()?;
        let medium = self.medium;
        let clean = |group: &&[T]| medium.cleaned(&group.iter().map(&render).collect::<String>());
        for batch in items.chunks(BATCH) {
            let groups: Vec<_> = batch.chunks(GROUP).collect();
            let pieces = parallel::map(&groups, MIN_GROUPS_PER_THREAD, clean);
            for piece in pieces {
                self.send(&piece)?;
            }
            if self.is_closed {
                break;
            }
        }
        Ok(())
    }

    /// Writes the buffered text.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        let piece = std::mem::take(&mut self.waiting);
        if self.is_closed {
            return Ok(());
        }
        self.send(&self.medium.cleaned(&piece))
    }

    /// Writes text without further checks.
    fn send(&mut self, piece: &str) -> io::Result<()> {
        let written = self.stream.write_all(piece.as_bytes()).and_then(|()| self.stream.flush());
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(())
            }
            other => other.map_err(|error| unwritable(&error)),
        }
    }
}

/// Adds a description to an error of standard output.
pub(super) fn unwritable(error: &io::Error) -> io::Error {
    io::Error::other(format!("cannot write to standard output: {}", plain(error)))
}

/// Prints an error on standard error, in one line.
pub(super) fn complain(color: ColorChoice, message: &str) {
    say(color, "error", AnsiColor::BrightRed.on_default().bold(), message);
}

/// Prints a warning on standard error, in one line.
pub(super) fn warn(color: ColorChoice, message: &str) {
    say(color, "warning", AnsiColor::Yellow.on_default().bold(), message);
}

/// Warns about unreadable files that were found during the search.
pub(super) fn warn_unread(problems: &[Problem], working: &Path, color: ColorChoice) {
    for Problem { path, why, .. } in problems {
        warn(color, &format!("{}: this cannot be read: {why}", relative(working, path)));
    }
}

/// Warns about ignored lines of the settings.
pub(super) fn warn_ignored(settings: &SettingsProblems, color: ColorChoice) {
    settings.ignored.iter().for_each(|why| warn(color, why));
}

fn say(color: ColorChoice, word: &str, style: Style, message: &str) {
    let mut stream = Stream::new(StdStream::Errors, choice(color));
    // No other output is left for this error.
    let _ = writeln!(stream, "{style}{word}{style:#}: {}", Medium::Text.cleaned(&sink::terminal(message)));
}

fn choice(color: ColorChoice) -> anstream::ColorChoice {
    match color {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
}

/// Prints plain text on standard error.
pub(super) fn note(text: &str) {
    // No other output is left for this error.
    let _ = stream::raw(StdStream::Errors).write_all(Medium::Text.cleaned(text).as_bytes());
}
