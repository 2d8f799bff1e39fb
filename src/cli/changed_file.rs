//! File changed by fixes.

use std::path::PathBuf;
use std::sync::Arc;

use mangle_host::Problem;
use mangle_report::sink;
use mangle_syntax::text::FileId;
use piggyback::envelope::secrets::SecretContext;

pub(super) struct ChangedFile {
    pub(super) file: FileId,
    pub(super) path: PathBuf,
    pub(super) before: Arc<[u8]>,
    pub(super) after: Arc<[u8]>,
    /// True if the file is part of a program. False if it is checked alone.
    pub(super) is_policy: bool,
}

pub(super) fn unwritten(path: PathBuf, error: &dyn std::fmt::Display) -> Problem {
    Problem { path, why: format!("its fixes were not written: {error}"), named: true }
}

impl ChangedFile {
    /// The unified diff. Secrets are masked in both versions.
    pub(super) fn diff(&self, name: &str) -> String {
        let [old, new] = [&self.before, &self.after].map(|bytes| String::from_utf8_lossy(bytes));
        let mut secrets = SecretContext::from_text(&old);
        secrets.add(&new);
        let [old, new] = [old, new].map(|text| secrets.redacted(&text).into_owned());
        match self.is_policy {
            true => mangle_report::diff(name, &old, &new),
            false => mangle_report::diff(name, &sink::lines(&old), &sink::lines(&new)),
        }
    }
}
