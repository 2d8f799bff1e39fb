//! Any bytes on the wire of the language server: it takes what it can, says what it cannot, and leaves at the end. What it
//! writes is framed JSON.

use std::io::{self, BufReader, Cursor, Write};
use std::sync::{Arc, Mutex, PoisonError};

use mangle_ls::lsp::serve_on;

use crate::sandbox::{self, Sandbox};

use super::server::framed;

pub(crate) fn run(bytes: &[u8]) {
    let _sandbox = Sandbox::new();
    let written = Arc::new(Mutex::new(Vec::new()));
    let input = placed(bytes);
    serve_on(BufReader::new(Cursor::new(input)), Kept(Arc::clone(&written))).unwrap();
    let written = written.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut rest = written.as_slice();
    while !rest.is_empty() {
        let (message, len) =
            framed(rest).unwrap_or_else(|| panic!("half a message: {}", String::from_utf8_lossy(rest)));
        let error = message["error"]["message"].as_str().unwrap_or_default();
        assert!(!error.contains("internal error"), "{message}");
        rest = &rest[len..];
    }
}

/// The input. Lines that begin with `>` are messages, which get their header and the folder in place of `$`; so libFuzzer
/// need not count. All else is sent as it is.
fn placed(bytes: &[u8]) -> Vec<u8> {
    let folder = format!("file://{}", sandbox::path().display());
    let mut out = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let Some(message) = line.strip_prefix(b">") else {
            out.extend_from_slice(line);
            continue;
        };
        let body: Vec<u8> = message
            .iter()
            .flat_map(|byte| if *byte == b'$' { folder.as_bytes() } else { std::slice::from_ref(byte) })
            .copied()
            .collect();
        out.extend(format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes());
        out.extend(body);
    }
    out
}

/// Keeps what is written.
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
