//! File paths: the table of file ids, normalization, and classification by file name.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parking_lot::RwLock;
use rustc_hash::FxHashMap;

use super::path_style::PathStyle;
use mangle_report::SourceText;
use mangle_settings::FACT_EXTENSIONS;
use mangle_syntax::text::FileId;

/// The minimum age of a change after which a later change has another timestamp.
const SETTLED: Duration = Duration::from_secs(2);

/// All known files, by path and by id. Ids are valid for the life of the process and are ordered
/// like the paths.
#[derive(Debug, Default)]
pub struct FileTable {
    rows: RwLock<Rows>,
    /// Files that were inspected. The flag is true if the file contains model replies.
    replies: RwLock<FxHashMap<PathBuf, (FileStamp, bool)>>,
}

/// The size and the modification time of a file.
type FileStamp = (u64, SystemTime);

#[derive(Debug, Default)]
struct Rows {
    paths: FxHashMap<FileId, Arc<Path>>,
    ids: FxHashMap<Arc<Path>, FileId>,
}

impl FileTable {
    /// Returns the id of a path, or assigns a new id. The path should be [`absolute`].
    pub fn id(&self, path: &Path) -> FileId {
        if let Some(id) = self.known(path) {
            return id;
        }
        let id = FileId::from_path(path);
        let path: Arc<Path> = path.into();
        let mut rows = self.rows.write();
        rows.paths.insert(id, Arc::clone(&path));
        rows.ids.insert(path, id);
        id
    }

    /// Returns the id of a path, if one was assigned.
    #[must_use]
    pub fn known(&self, path: &Path) -> Option<FileId> {
        self.rows.read().ids.get(path).copied()
    }

    /// True if a file contains model replies. Calls `look` only if the size or the modification
    /// time changed since the last call.
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
        // For a recent change, a later change may have the same timestamp.
        if state.1.elapsed().is_ok_and(|age| age > SETTLED) {
            self.replies.write().insert(path.into(), (state, found));
        }
        found
    }

    /// Returns the path of an id. The path is empty if the id is not from this table.
    #[must_use]
    pub fn path(&self, id: FileId) -> Arc<Path> {
        self.rows.read().paths.get(&id).map_or_else(|| Path::new("").into(), Arc::clone)
    }
}

/// Makes `path` absolute, relative to `folder`, and removes `.` and `..`.
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

/// Returns the path with all links resolved. For a missing file, the links of its folder are
/// resolved. A link to a missing file resolves to the path of the missing file.
#[must_use]
pub fn real(path: &Path) -> PathBuf {
    /// The maximum number of links in a chain.
    const MAX_LINKS: usize = 16;
    follow(path, MAX_LINKS)
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

/// Converts the Windows notation `\\?\C:\x` to `C:\x`.
fn plain_path(path: PathBuf) -> PathBuf {
    let plain = path.to_str().and_then(|path| PathStyle::HERE.plain(path));
    plain.map(PathBuf::from).unwrap_or(path)
}

/// Returns a text for output, named by [`relative`].
#[must_use]
pub fn source_text(folder: &Path, path: &Path, text: Arc<str>) -> SourceText {
    SourceText::new(relative(folder, path), text).at(path)
}

/// Returns the name of a file in output: relative to `folder` if the file is below it or one level
/// up, with `/` as separator.
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
            // If the paths share only the root, the absolute path is clearer.
            Some(parent) if parent.parent().is_some() => base = parent,
            _ => return slashes(path),
        }
        shown.push_str("../");
    }
}

/// Returns a path with `/` as separator.
pub(super) fn slashes(path: &Path) -> String {
    PathStyle::HERE.slashes(&path.to_string_lossy())
}

/// True if the name belongs to a known format other than Mangle, even if the path was given
/// explicitly. The formats are configuration, YAML, Markdown, JSON, fact table and log, also
/// compressed.
#[must_use]
pub(super) fn is_other_text(path: &Path) -> bool {
    const ENDINGS: [&str; 17] = [
        "toml", "yaml", "yml", "md", "markdown", "mdx", "json", "json5", "jsonl", "ndjson", "csv", "tsv",
        "log", "gz", "zst", "zip", "eval",
    ];
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    extension.is_some_and(|extension| ENDINGS.contains(&&*extension))
}

/// True for `.mg` and `.gl`.
#[must_use]
pub fn is_mangle(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "mg" || extension == "gl")
}

/// True for files of facts in other formats: `.csv`, `.jsonl` or `.ndjson`.
#[must_use]
pub fn is_facts(path: &Path) -> bool {
    path.extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| FACT_EXTENSIONS.contains(&extension) && !is_mangle(path))
}

/// True for sample kernels (`*.kernel.mg`) and policy tests (`*_test.mg`). These files are never
/// members of a program; each is analyzed as an extension of the program.
#[must_use]
pub fn is_single(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".kernel.mg") || is_test(path)
}

#[must_use]
pub fn is_test(path: &Path) -> bool {
    path.file_name().unwrap_or_default().to_string_lossy().ends_with("_test.mg")
}

/// Returns the path of the tests of a policy or sample kernel: `NAME_test.mg` in the same folder.
#[must_use]
pub fn test_path(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let stem = stem.strip_suffix(".kernel").unwrap_or(&stem);
    path.with_file_name(format!("{stem}_test.mg"))
}

/// True if the name belongs to a schema file, which declares predicates for the files in its
/// folder.
pub fn is_schema(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("schemas") && is_mangle(path) && !is_single(path)
}

/// Returns the existing regular file at a path relative to a folder. Returns `None` if links lead
/// out of the folder.
#[must_use]
pub fn file_inside(folder: &Path, path: &Path) -> Option<PathBuf> {
    let is_plain = path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    let joined = folder.join(path);
    let is_file = is_plain && joined.metadata().is_ok_and(|found| found.is_file());
    let is_inside = || Some(joined.canonicalize().ok()?.starts_with(folder.canonicalize().ok()?));
    (is_file && is_inside()?).then_some(joined)
}

pub(super) fn is_kernel(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(".kernel.mg"))
}

/// True if the name belongs to a session file without prompt atoms.
pub(super) fn is_session(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    [".session.yaml", ".session.yml", ".session.json"].iter().any(|end| name.ends_with(end))
}

/// Returns the base folder of relative paths in a file: its own folder, or the working folder if
/// `file` is `None`.
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
