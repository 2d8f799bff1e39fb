//! A folder of the process in which commands run: filled with the files of an input, and emptied for the next one.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use tempfile::TempDir;

static FOLDER: OnceLock<TempDir> = OnceLock::new();
static IN_USE: Mutex<()> = Mutex::new(());

/// The folder, which is the working folder while this lives.
pub(crate) struct Sandbox {
    _turn: MutexGuard<'static, ()>,
}

impl Sandbox {
    /// An empty folder. Waits until no other test uses it.
    pub(crate) fn new() -> Self {
        let turn = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
        let path = path();
        std::env::set_current_dir(&path).unwrap();
        for entry in fs::read_dir(&path).unwrap() {
            let entry = entry.unwrap().path();
            let removed = if entry.is_dir() { fs::remove_dir_all(&entry) } else { fs::remove_file(&entry) };
            removed.unwrap();
        }
        Self { _turn: turn }
    }

    /// Writes a file as [`write`] does.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Option<String> {
        write(name, bytes)
    }

    /// The bytes of a file.
    pub(crate) fn read(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(path().join(name)).ok()
    }
}

/// Writes a file, whatever of its name can be one inside the folder. Gives its name, if it could be written.
pub(crate) fn write(name: &str, bytes: &[u8]) -> Option<String> {
    let name: PathBuf = Path::new(&name.replace('\0', "0"))
        .components()
        .filter(|part| matches!(part, Component::Normal(_)))
        .take(4)
        .collect();
    let file = path().join(&name);
    fs::create_dir_all(file.parent()?).ok()?;
    fs::write(&file, bytes).ok()?;
    name.to_str().map(str::to_owned)
}

/// Where the folder is: in memory, if the system has such a place.
pub(crate) fn path() -> PathBuf {
    let folder = FOLDER.get_or_init(|| {
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        tempfile::Builder::new().prefix("mangle-ls-fuzz-").tempdir_in(base).unwrap()
    });
    folder.path().canonicalize().unwrap()
}
