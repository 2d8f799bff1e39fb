//! Output destination: the streams of the process, or a recording of a command's output.

use std::cell::RefCell;
use std::io::{self, Write};

use anstream::AutoStream;

/// The color choice for text that is written unchanged.
pub(super) const AS_IT_IS: anstream::ColorChoice = anstream::ColorChoice::AlwaysAnsi;

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
                let is_coloured = matches!(color, anstream::ColorChoice::Always | anstream::ColorChoice::AlwaysAnsi);
                let choice = if is_coloured { anstream::ColorChoice::AlwaysAnsi } else { anstream::ColorChoice::Never };
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
