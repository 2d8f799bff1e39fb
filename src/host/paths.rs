//! Paths: their table of ids, their normal form, and what a file's name says about it.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parking_lot::RwLock;
use rustc_hash::FxHashMap;

use super::path_style::PathStyle;
use crate::report::SourceText;
use mangle_settings::FACT_EXTENSIONS;
use mangle_syntax::text::FileId;

/// The age of a change after which another change has another time.
const SETTLED: Duration = Duration::from_secs(2);

/// All files that were ever seen, by path and by id. Ids stay for the life of the process, and are ordered as the paths.
#[derive(Debug, Default)]
pub struct FileTable {
    rows: RwLock<Rows>,
    /// Examined files, and whether they have replies of a model.
    replies: RwLock<FxHashMap<PathBuf, (FileStamp, bool)>>,
}

/// The length of a file and the time of its last change.
type FileStamp = (u64, SystemTime);

#[derive(Debug, Default)]
struct Rows {
    paths: FxHashMap<FileId, Arc<Path>>,
    ids: FxHashMap<Arc<Path>, FileId>,
}

impl FileTable {
    /// The id of a path, which should be [`absolute`].
    pub fn id(&self, path: &Path) -> FileId {
        if let Some(id) = self.known(path) {
            return id;
        }
        let id = FileId::of(path);
        let path: Arc<Path> = path.into();
        let mut rows = self.rows.write();
        rows.paths.insert(id, Arc::clone(&path));
        rows.ids.insert(path, id);
        id
    }

    /// The id of a path, if it has one.
    #[must_use]
    pub fn known(&self, path: &Path) -> Option<FileId> {
        self.rows.read().ids.get(path).copied()
    }

    /// True if a file has replies of a model. `look` examines it, unless it has the length and the time of the last look.
    pub(super) fn has_replies(&self, path: &Path, look: impl FnOnce() -> bool) -> bool {
        let metadata = path.metadata().ok();
        let state = metadata.and_then(|metadata| Some((metadata.len(), metadata.modified().ok()?)));
        let Some(state) = state else { return look() };
        if let Some((before, known)) = self.replies.read().get(path)
            && *before == state
        {
            return *known;
        }
        let found = look();
        // A later change may have the same time.
        if state.1.elapsed().is_ok_and(|age| age > SETTLED) {
            self.replies.write().insert(path.into(), (state, found));
        }
        found
    }

    /// The path of an id; the empty path for an id that is not of this table.
    #[must_use]
    pub fn path(&self, id: FileId) -> Arc<Path> {
        self.rows.read().paths.get(&id).map_or_else(|| Path::new("").into(), Arc::clone)
    }
}

/// `path`, seen from `folder`, as an absolute path without `.` and `..`.
#[must_use]
pub fn absolute(folder: &Path, path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in folder.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

/// Where a path leads, without links. What is not there lies where its folder leads, and a link to it leads there, too.
#[must_use]
pub fn real(path: &Path) -> PathBuf {
    /// So many links that lead to each other are followed.
    const MOST: usize = 16;
    follow(path, MOST)
}

fn follow(path: &Path, most: usize) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return plain_path(real);
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return path.into() };
    match path.read_link() {
        Ok(target) if most > 0 => follow(&absolute(folder, &target), most - 1),
        _ => follow(folder, most).join(name),
    }
}

/// A path as people write it: Windows gives `\\?\C:\x` for `C:\x`.
fn plain_path(path: PathBuf) -> PathBuf {
    let plain = path.to_str().and_then(|path| PathStyle::HERE.plain(path));
    plain.map(PathBuf::from).unwrap_or(path)
}

/// A file as output shows it: named as [`relative`] does, at its path.
#[must_use]
pub fn source_text(folder: &Path, path: &Path, text: Arc<str>) -> SourceText {
    SourceText::new(relative(folder, path), text).at(path)
}

/// How output names a file: relative to `folder` if it lies below it (one level up at most),
/// with `/` between the parts.
#[must_use]
pub fn relative(folder: &Path, path: &Path) -> String {
    let mut shown = String::new();
    let mut base = folder;
    loop {
        if let Ok(rest) = path.strip_prefix(base) {
            shown.push_str(&slashes(rest));
            return if shown.is_empty() { ".".into() } else { shown };
        }
        match base.parent() {
            // What is on another branch from the root on is clearer with its full path.
            Some(parent) if parent.parent().is_some() => base = parent,
            _ => return slashes(path),
        }
        shown.push_str("../");
    }
}

/// A path with `/` between its parts.
pub(super) fn slashes(path: &Path) -> String {
    PathStyle::HERE.slashes(&path.to_string_lossy())
}

/// Whether the name is that of a file that is no Mangle, even if it is named: a configuration, YAML, Markdown, JSON, a table
/// of facts, a log, or one of them compressed.
#[must_use]
pub(super) fn is_other_text(path: &Path) -> bool {
    const ENDINGS: [&str; 17] = [
        "toml", "yaml", "yml", "md", "markdown", "mdx", "json", "json5", "jsonl", "ndjson", "csv", "tsv",
        "log", "gz", "zst", "zip", "eval",
    ];
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    extension.is_some_and(|extension| ENDINGS.contains(&&*extension))
}

/// Whether the name is that of a Mangle file: `.mg` or `.gl`.
#[must_use]
pub fn is_mangle(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "mg" || extension == "gl")
}

/// Whether the name is that of a file that holds facts and is no Mangle: `.csv`, `.jsonl` or `.ndjson`.
#[must_use]
pub fn is_facts(path: &Path) -> bool {
    path.extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| FACT_EXTENSIONS.contains(&extension) && !is_mangle(path))
}

/// Whether the file never joins a program but is analysed as the program plus itself: a sample
/// kernel (`*.kernel.mg`) or a policy test (`*_test.mg`).
#[must_use]
pub fn is_single(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".kernel.mg") || is_test(path)
}

/// Whether the file's name says that it is a policy test.
#[must_use]
pub fn is_test(path: &Path) -> bool {
    path.file_name().unwrap_or_default().to_string_lossy().ends_with("_test.mg")
}

/// Where the tests of a policy or of a sample kernel belong: `NAME_test.mg` beside it.
#[must_use]
pub fn test_path(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let stem = stem.strip_suffix(".kernel").unwrap_or(&stem);
    path.with_file_name(format!("{stem}_test.mg"))
}

/// Whether the file's name says that it declares the predicates of the files beside it.
pub fn is_schema(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("schemas") && is_mangle(path) && !is_single(path)
}

/// The file below a folder that a relative path names, if there is one: not a folder or a device, and nothing outside of
/// the folder, whatever links lead there.
#[must_use]
pub fn file_inside(folder: &Path, path: &Path) -> Option<PathBuf> {
    let is_plain = path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    let joined = folder.join(path);
    let is_file = is_plain && joined.metadata().is_ok_and(|found| found.is_file());
    let is_inside = || Some(joined.canonicalize().ok()?.starts_with(folder.canonicalize().ok()?));
    (is_file && is_inside()?).then_some(joined)
}

/// Whether the file's name says that it is a sample kernel.
pub(super) fn is_kernel(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(".kernel.mg"))
}

/// Whether the file's name says that it is a session file and holds no prompt atoms.
pub(super) fn is_session(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    [".session.yaml", ".session.yml", ".session.json"].iter().any(|end| name.ends_with(end))
}

/// The folder that paths in a file count from: its own; where there is no file, the working folder.
#[must_use]
pub fn folder_of(file: Option<FileId>, table: &FileTable, working: &Path) -> PathBuf {
    let path = file.map(|file| table.path(file));
    path.and_then(|path| Some(path.parent()?.to_path_buf())).unwrap_or_else(|| working.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_stable() {
        let table = FileTable::default();
        let (a, b) = (table.id(Path::new("/p/a.mg")), table.id(Path::new("/p/b.mg")));
        assert_eq!((table.id(Path::new("/p/a.mg")), table.known(Path::new("/p/c.mg"))), (a, None));
        assert_eq!(&*table.path(b), Path::new("/p/b.mg"));
        assert_eq!(&*table.path(FileId(99)), Path::new(""));
    }

    #[test]
    fn dots_vanish() {
        for (path, expected) in [
            ("a.mg", "/p/q/a.mg"),
            ("./x/./a.mg", "/p/q/x/a.mg"),
            ("../a.mg", "/p/a.mg"),
            ("../../../../a.mg", "/a.mg"),
            ("/z/a.mg", "/z/a.mg"),
            (".", "/p/q"),
        ] {
            assert_eq!(absolute(Path::new("/p/q"), Path::new(path)), Path::new(expected));
        }
    }

    #[test]
    fn names_for_people_are_short() {
        for (path, expected) in [
            ("/p/q/a.mg", "a.mg"),
            ("/p/q/r/a.mg", "r/a.mg"),
            ("/p/a.mg", "../a.mg"),
            ("/z/a.mg", "/z/a.mg"),
            ("/p/q", "."),
        ] {
            assert_eq!(relative(Path::new("/p/q"), Path::new(path)), expected);
        }
    }

    #[test]
    fn what_names_say() {
        let said =
            |path| (is_mangle(Path::new(path)), is_single(Path::new(path)), is_schema(Path::new(path)));
        assert_eq!(said("a/schemas_x.gl"), (true, false, true));
        assert_eq!(said("a/fix.kernel.mg"), (true, true, false));
        assert_eq!(said("a/schemas_test.mg"), (true, true, false));
        assert_eq!(said("a/README.md"), (false, false, false));
        let tests = ["a/door.mg", "a/x.kernel.mg", "s.gl"].map(|path| test_path(Path::new(path)));
        assert_eq!(tests, ["a/door_test.mg", "a/x_test.mg", "s_test.mg"].map(PathBuf::from));
        let facts = ["door.csv", "a/door.jsonl", "door.mg", "csv"].map(|path| is_facts(Path::new(path)));
        assert_eq!(facts, [true, true, false, false]);
    }
}
