//! Standard output that can be closed by its reader or recorded, messages on standard error, and text
//! wrapping for terminals.
//!
//! All output is masked for credentials (unless an option shows them) and stripped of control
//! sequences.

use std::cell::RefCell;
use std::io::{self, IsTerminal as _, Write};
use std::path::Path;

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use clap::{ColorChoice, ValueEnum};
use unicode_width::UnicodeWidthChar as _;

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
        let color = if medium == Medium::Json { AS_IT_IS } else { choice(color) };
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
    let _ = raw(StdStream::Errors).write_all(Medium::Text.cleaned(text).as_bytes());
}

/// The format of output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum OutputForm {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

impl OutputForm {
    pub(super) fn medium(self) -> Medium {
        Medium::json_if(self == Self::Json)
    }
}

/// The color choice for text that is written unchanged.
const AS_IT_IS: anstream::ColorChoice = anstream::ColorChoice::AlwaysAnsi;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StdStream {
    Output,
    Errors,
}

/// The recorded output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Recording {
    pub(super) output: Vec<u8>,
    pub(super) errors: Vec<u8>,
}

thread_local! {
    /// The active recording of this thread. All output is written by the thread that runs the
    /// command.
    static RECORDING: RefCell<Option<Recording>> = const { RefCell::new(None) };
}

/// Runs `command` and returns its result and its output.
pub(super) fn record<T>(command: impl FnOnce() -> T) -> (T, Recording) {
    RECORDING.set(Some(Recording::default()));
    let result = command();
    (result, RECORDING.take().unwrap_or_default())
}

/// A stream that removes colors unless its destination shows them.
pub(super) enum Stream {
    Output(AutoStream<io::Stdout>),
    Errors(AutoStream<io::Stderr>),
    Recorded(AutoStream<Box<dyn Write>>),
}

impl Stream {
    pub(super) fn new(target: StdStream, color: anstream::ColorChoice) -> Self {
        match target {
            _ if is_recording() => {
                let is_coloured =
                    matches!(color, anstream::ColorChoice::Always | anstream::ColorChoice::AlwaysAnsi);
                let choice = if is_coloured {
                    anstream::ColorChoice::AlwaysAnsi
                } else {
                    anstream::ColorChoice::Never
                };
                Self::Recorded(AutoStream::new(Box::new(Recorder(target)), choice))
            }
            StdStream::Output => Self::Output(AutoStream::new(io::stdout(), color)),
            StdStream::Errors => Self::Errors(AutoStream::new(io::stderr(), color)),
        }
    }

    /// True if the destination shows colors.
    pub(super) fn has_colours(&self) -> bool {
        let choice = match self {
            Self::Output(stream) => stream.current_choice(),
            Self::Errors(stream) => stream.current_choice(),
            Self::Recorded(stream) => stream.current_choice(),
        };
        choice != anstream::ColorChoice::Never
    }

    fn inner(&mut self) -> &mut dyn Write {
        match self {
            Self::Output(stream) => stream,
            Self::Errors(stream) => stream,
            Self::Recorded(stream) => stream,
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner().flush()
    }
}

/// A stream that writes every byte unchanged.
pub(super) fn raw(target: StdStream) -> Box<dyn Write> {
    match target {
        _ if is_recording() => Box::new(Recorder(target)),
        StdStream::Output => Box::new(io::stdout()),
        StdStream::Errors => Box::new(io::stderr()),
    }
}

fn is_recording() -> bool {
    RECORDING.with_borrow(Option::is_some)
}

/// A writer that appends to the recording.
struct Recorder(StdStream);

impl Write for Recorder {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        RECORDING.with_borrow_mut(|recording| {
            let recording = recording.get_or_insert_default();
            match self.0 {
                StdStream::Output => recording.output.extend_from_slice(bytes),
                StdStream::Errors => recording.errors.extend_from_slice(bytes),
            }
        });
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The width of standard output in columns. `None` if it is not a terminal, so that other readers
/// get unwrapped lines.
pub(super) fn columns() -> Option<usize> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    let (width, _) = terminal_size::terminal_size()?;
    Some(width.0.into()).filter(|width| *width >= 20)
}

/// Wraps a colored text so that no line exceeds `columns`, unless a single word does.
pub(super) fn fit(text: &str, columns: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        fit_line(line, columns, &mut out);
    }
    out
}

fn fit_line(line: &str, columns: usize, out: &mut String) {
    let own = line.len() - line.trim_start_matches(' ').len();
    let indent = (own + 2).min(columns / 2);
    // The start of the next piece, the last possible break, and the width up to it.
    let (mut start, mut gap, mut width, mut since_gap) = (0, None, 0, 0);
    let (mut is_escape, mut has_words) = (false, false);
    for (at, char) in line.char_indices() {
        is_escape |= char == '\u{1b}';
        if is_escape {
            is_escape = !char.is_ascii_alphabetic();
            continue;
        }
        if char == ' ' && has_words {
            gap = Some(at);
            since_gap = 0;
        }
        has_words |= char != ' ';
        let wide = char.width().unwrap_or(0);
        width += wide;
        since_gap += wide;
        if let Some(end) = gap.filter(|_| width > columns && char != ' ') {
            out.push_str(line.get(start..end).unwrap_or_default().trim_end_matches(' '));
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            let rest = line.get(end..).unwrap_or_default();
            let blanks = rest.len() - rest.trim_start_matches(' ').len();
            (start, gap) = (end + blanks, None);
            width = indent + since_gap.saturating_sub(1);
        }
    }
    out.push_str(line.get(start..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, columns: usize, expected: &str) {
        assert_eq!(fit(text, columns), expected);
    }

    #[test]
    fn lines_break_between_words() {
        check("one two three\nfour\n", 8, "one two\n  three\nfour\n");
        check("  one two three\n", 9, "  one two\n    three\n");
        check("one two three four five\n", 10, "one two\n  three\n  four\n  five\n");
        check("", 8, "");
    }

    #[test]
    fn words_stay_whole() {
        check("a-very-long-word and more\n", 8, "a-very-long-word\n  and\n  more\n");
        check("short", 8, "short");
    }

    #[test]
    fn colours_have_no_width() {
        check("\u{1b}[32mone two\u{1b}[0m\n", 7, "\u{1b}[32mone two\u{1b}[0m\n");
        check("\u{1b}[32mone two three\u{1b}[0m\n", 8, "\u{1b}[32mone two\n  three\u{1b}[0m\n");
    }

    #[test]
    fn wide_signs_count_twice() {
        check("日本 日本 日本\n", 9, "日本 日本\n  日本\n");
    }

    #[test]
    fn a_gap_is_no_indent() {
        check("one             ← two\n", 12, "one\n  ← two\n");
    }
}
