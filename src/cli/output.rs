//! Standard output that may go away, and complaints on standard error. Nothing leaves here with a credential in it, unless
//! output shows them, or with a character that steers what reads it.

use std::io::{self, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use clap::ColorChoice;

use super::stream::{self, StdStream, Stream};
use crate::host::{Problem, SettingsProblems, plain, relative};
use crate::report::sink;
use mangle_syntax::parallel;
use piggyback::envelope::secrets::redacted;

/// What is written to standard output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Medium {
    /// Text for people, or in a format of lines
    #[default]
    Text,
    /// Text for people, from a writer that colours it and escapes what it shows
    Coloured,
    /// Commands of a build server, which begin lines
    Commands,
    /// JSON
    Json,
    /// A table for a program, whose cells are as they are, credentials apart
    Table,
    /// A file for another program, which is as it is: a name in it that looks like a credential is an error before
    Artifact,
    /// What the tool says of itself, such as the examples of its rules
    Own,
}

impl Medium {
    /// [`Medium::Json`] if something is to be JSON.
    pub(super) fn json_if(is_json: bool) -> Self {
        if is_json { Self::Json } else { Self::Text }
    }

    /// What may leave of a text.
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

/// Standard output in large pieces. When its reader goes away (`| head`), the rest is dropped.
pub(super) struct Output {
    stream: Stream,
    medium: Medium,
    waiting: String,
    is_closed: bool,
}

/// How much is collected before it is written.
const PIECE: usize = 64 << 10;

/// How many items of a list are rendered before they are written.
const BATCH: usize = 4096;

/// How many of them are looked over together.
const GROUP: usize = 16;

/// How many groups are worth a thread of their own.
const FEW: usize = 2;

impl Output {
    /// Standard output, with colours if `color` and the terminal allow them.
    pub(super) fn new(color: ColorChoice) -> Self {
        Self::of(Medium::Text, color)
    }

    /// The same for a medium.
    pub(super) fn of(medium: Medium, color: ColorChoice) -> Self {
        // JSON has no colours, and is not searched for them.
        let color = if medium == Medium::Json { stream::AS_IT_IS } else { choice(color) };
        Self {
            stream: Stream::new(StdStream::Output, color),
            medium,
            waiting: String::new(),
            is_closed: false,
        }
    }

    /// Whether colours are shown.
    pub(super) fn has_colours(&self) -> bool {
        self.medium != Medium::Json && self.stream.has_colours()
    }

    /// Whether the reader went away, so that the rest is dropped.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Writes text that may have colours in it.
    pub(super) fn write(&mut self, text: &str) -> io::Result<()> {
        self.waiting.push_str(text);
        if self.waiting.len() >= PIECE { self.flush() } else { Ok(()) }
    }

    /// Writes what `render` makes of each item, in their order; it runs on all cores, as does the search for credentials.
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
            let pieces = parallel::map(&groups, FEW, clean);
            for piece in pieces {
                self.send(&piece)?;
            }
            if self.is_closed {
                break;
            }
        }
        Ok(())
    }

    /// Writes what was collected.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        let piece = std::mem::take(&mut self.waiting);
        if self.is_closed {
            return Ok(());
        }
        self.send(&self.medium.cleaned(&piece))
    }

    /// Writes a piece that may leave as it is.
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

/// The error that also says what could not be written.
pub(super) fn unwritable(error: &io::Error) -> io::Error {
    io::Error::other(format!("cannot write to standard output: {}", plain(error)))
}

/// An error on standard error, as one line whatever it quotes.
pub(super) fn complain(color: ColorChoice, message: &str) {
    say(color, "error", AnsiColor::BrightRed.on_default().bold(), message);
}

/// A warning on standard error, as one line whatever it quotes.
pub(super) fn warn(color: ColorChoice, message: &str) {
    say(color, "warning", AnsiColor::Yellow.on_default().bold(), message);
}

/// Warns of what commands met and could not read.
pub(super) fn warn_unread(problems: &[Problem], working: &Path, color: ColorChoice) {
    for Problem { path, why, .. } in problems {
        warn(color, &format!("{}: this cannot be read: {why}", relative(working, path)));
    }
}

/// Warns of the lines of the settings that are ignored.
pub(super) fn warn_ignored(settings: &SettingsProblems, color: ColorChoice) {
    settings.ignored.iter().for_each(|why| warn(color, why));
}

fn say(color: ColorChoice, word: &str, style: Style, message: &str) {
    let mut stream = Stream::new(StdStream::Errors, choice(color));
    // There is nowhere left to complain to.
    let _ = writeln!(stream, "{style}{word}{style:#}: {}", Medium::Text.cleaned(&sink::terminal(message)));
}

fn choice(color: ColorChoice) -> anstream::ColorChoice {
    match color {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
}

/// Plain text on standard error.
pub(super) fn note(text: &str) {
    // There is nowhere left to complain to.
    let _ = stream::raw(StdStream::Errors).write_all(Medium::Text.cleaned(text).as_bytes());
}
