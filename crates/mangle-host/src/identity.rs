//! Canonical identity of a file, independent of the links in its path.
//!
//! The identity is the target of the path. Its prefix is spelled like the workspace folder that
//! contains it, because the client uses that spelling. A link to a file that is in no program of
//! the workspace is used in place of that file.

use std::path::{Path, PathBuf};

use super::paths::real;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResolvedPath {
    spelled: PathBuf,
    /// The path with links to folders resolved.
    entry: PathBuf,
    /// The path with all links resolved. Differs from `entry` if the entry is a link.
    target: PathBuf,
}

impl ResolvedPath {
    /// Resolves the links of an absolute path. A path that does not exist, or that is not a disk
    /// path, resolves to itself.
    #[must_use]
    pub fn read(path: &Path) -> Self {
        Self::read_on(path, &real)
    }

    /// [`ResolvedPath::read`] with a replaceable file system: `real` returns the canonical path,
    /// in the spelling of the disk.
    fn read_on(path: &Path, real: &dyn Fn(&Path) -> PathBuf) -> Self {
        let (true, Some(folder), Some(name)) = (path.is_absolute(), path.parent(), path.file_name()) else {
            let [spelled, entry, target] = [path; 3].map(Path::to_path_buf);
            return Self { spelled, entry, target };
        };
        Self { spelled: path.into(), entry: real(folder).join(name), target: real(path) }
    }

    #[must_use]
    pub fn spelled(&self) -> &Path {
        &self.spelled
    }
}

/// A link that is a member of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberLink {
    pub path: PathBuf,
    /// The target, with links resolved.
    pub target: PathBuf,
    /// True if the target itself is in no program, so that the link is used in place of the
    /// target.
    pub stands_for_target: bool,
}

/// The workspace folders and the links in programs, which determine the identity of a file.
#[derive(Debug, Clone, Default)]
pub struct Identities {
    folders: Vec<Folder>,
    /// Sorted by path.
    links: Vec<MemberLink>,
}

#[derive(Debug, Clone)]
struct Folder {
    real: PathBuf,
    spelled: PathBuf,
}

impl Identities {
    /// The identities of a workspace with these folders. For two spellings of one folder, the
    /// smaller one is used. A nested folder is spelled like the outer one.
    #[must_use]
    pub fn of_folders(spelled: &[PathBuf]) -> Self {
        Self::of_folders_on(spelled, &real)
    }

    /// [`Identities::of_folders`] with a replaceable file system: `real` returns the canonical
    /// path.
    fn of_folders_on(spelled: &[PathBuf], real: &dyn Fn(&Path) -> PathBuf) -> Self {
        let mut all: Vec<_> =
            spelled.iter().map(|path| Folder { real: real(path), spelled: path.clone() }).collect();
        all.sort_by_cached_key(|folder| {
            (folder.real.components().count(), folder.real.clone(), folder.spelled.clone())
        });
        let mut identities = Self::default();
        for folder in all {
            let spelled = identities.respelled(&folder.real).unwrap_or(folder.spelled);
            if !identities.folders.iter().any(|known| known.real == folder.real) {
                identities.folders.push(Folder { real: folder.real, spelled });
            }
        }
        identities
    }

    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(|folder| folder.spelled.as_path())
    }

    /// Sets the links in programs. Returns true if they changed.
    pub fn set_links(&mut self, mut links: Vec<MemberLink>) -> bool {
        links.sort_by(|one, another| one.path.cmp(&another.path));
        let different = self.links != links;
        self.links = links;
        different
    }

    #[must_use]
    pub fn identity(&self, path: &ResolvedPath) -> PathBuf {
        let entry = self.spelling(&path.entry);
        if self.links.binary_search_by(|link| link.path.cmp(&entry)).is_ok() {
            return entry;
        }
        let standing = self.links.iter().find(|link| link.stands_for_target && link.target == path.target);
        standing.map_or_else(|| self.spelling(&path.target), |link| link.path.clone())
    }

    /// Returns the identities that an event at a path affects: the directory entry, its target,
    /// and the links to the target.
    #[must_use]
    pub fn affected(&self, path: &ResolvedPath) -> Vec<PathBuf> {
        let mut all = vec![self.spelling(&path.entry), self.spelling(&path.target)];
        let links = self.links.iter().filter(|link| link.target == path.target);
        all.extend(links.map(|link| link.path.clone()));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns a resolved path in the spelling of the workspace folder that contains it.
    fn spelling(&self, path: &Path) -> PathBuf {
        self.respelled(path).unwrap_or_else(|| path.into())
    }

    fn respelled(&self, path: &Path) -> Option<PathBuf> {
        // Outer folders come first.
        let around = self
            .folders
            .iter()
            .rev()
            .find_map(|folder| Some((folder, path.strip_prefix(&folder.real).ok()?)));
        let (folder, rest) = around?;
        Some(if rest.as_os_str().is_empty() { folder.spelled.clone() } else { folder.spelled.join(rest) })
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::symlink;

    use super::*;

    struct Disk(tempfile::TempDir);

    impl Disk {
        /// Creates files and links (`link -> target`).
        fn new(entries: &[&str]) -> Self {
            let disk = Self(tempfile::tempdir().unwrap());
            for entry in entries {
                let (path, target) = entry.split_once(" -> ").unwrap_or((entry, ""));
                std::fs::create_dir_all(disk.path(path).parent().unwrap()).unwrap();
                if target.is_empty() {
                    std::fs::write(disk.path(path), "").unwrap();
                } else {
                    symlink(disk.path(target), disk.path(path)).unwrap();
                }
            }
            disk
        }

        fn path(&self, path: &str) -> PathBuf {
            self.0.path().canonicalize().unwrap().join(path)
        }

        fn identity(&self, identities: &Identities, path: &str) -> String {
            let found = identities.identity(&ResolvedPath::read(&self.path(path)));
            found.strip_prefix(self.path("")).unwrap().display().to_string()
        }

        fn link(&self, path: &str, target: &str, stands_for_target: bool) -> MemberLink {
            MemberLink { path: self.path(path), target: self.path(target), stands_for_target }
        }
    }

    #[test]
    fn links_lead_to_one_file() {
        let disk =
            Disk::new(&["real/a.mg", "real/b.mg -> real/a.mg", "linked -> real", "broken.mg -> gone.mg"]);
        let identities = Identities::of_folders(&[disk.path("linked")]);
        for path in ["real/a.mg", "real/b.mg", "linked/a.mg", "linked/b.mg"] {
            assert_eq!(disk.identity(&identities, path), "linked/a.mg", "{path}");
        }
        assert_eq!(disk.identity(&identities, "linked/new/new.mg"), "linked/new/new.mg");
        assert_eq!(disk.identity(&identities, "real/new.mg"), "linked/new.mg");
        assert_eq!(disk.identity(&identities, "broken.mg"), "gone.mg");
        let untitled = ResolvedPath::read(Path::new("untitled:Untitled-1"));
        assert_eq!(identities.identity(&untitled), Path::new("untitled:Untitled-1"));
    }

    #[test]
    fn folders_are_spelled_in_one_way() {
        let disk = Disk::new(&["real/inner/a.mg", "b -> real", "c -> real", "d -> real/inner"]);
        let folders = |given: &[&str]| {
            let given: Vec<_> = given.iter().map(|path| disk.path(path)).collect();
            let identities = Identities::of_folders(&given);
            let shown = identities
                .folders()
                .map(|path| path.strip_prefix(disk.path("")).unwrap().display().to_string());
            (shown.collect::<Vec<_>>().join(" "), disk.identity(&identities, "real/inner/a.mg"))
        };
        let expected = ("b b/inner".to_owned(), "b/inner/a.mg".to_owned());
        assert_eq!(folders(&["b", "c", "d"]), expected);
        assert_eq!(folders(&["d", "c", "b"]), expected);
        assert_eq!(folders(&["d"]), ("d".to_owned(), "d/a.mg".to_owned()));
    }

    /// A disk that ignores case and Unicode normalization, as on Windows and macOS. The value
    /// lists the existing files in the spelling of the disk.
    struct Folding(&'static [&'static str]);

    impl Folding {
        fn folded(path: &str) -> String {
            path.to_lowercase().replace("e\u{301}", "\u{e9}")
        }

        /// Returns the path in the spelling of the disk. A missing file is in the real path of its
        /// folder.
        fn real(&self, path: &Path) -> PathBuf {
            let folded = Self::folded(&path.to_string_lossy());
            let mut known = self.0.iter().flat_map(|file| Path::new(file).ancestors());
            let found = known.find(|known| Self::folded(&known.to_string_lossy()) == folded);
            match (found, path.parent(), path.file_name()) {
                (Some(found), ..) => found.to_path_buf(),
                (None, Some(folder), Some(name)) => self.real(folder).join(name),
                (None, ..) => path.to_path_buf(),
            }
        }
    }

    #[test]
    fn spellings_of_one_file_are_one_file() {
        let disk = Folding(&["/Data/Policy/Main.mg", "/Data/Policy/\u{e9}t\u{e9}.mg"]);
        let real = |path: &Path| disk.real(path);
        for folder in ["/Data", "/data", "/DATA"] {
            let identities = Identities::of_folders_on(&[folder.into()], &real);
            let identity = |path: &str| identities.identity(&ResolvedPath::read_on(Path::new(path), &real));
            let file = Path::new(folder).join("Policy/Main.mg");
            for spelled in ["/Data/Policy/Main.mg", "/data/policy/main.mg", "/DATA/POLICY/MAIN.MG"] {
                assert_eq!(identity(spelled), file, "{folder} {spelled}");
            }
            let accents = Path::new(folder).join("Policy/\u{e9}t\u{e9}.mg");
            for spelled in ["/data/policy/\u{e9}t\u{e9}.mg", "/Data/policy/e\u{301}te\u{301}.mg"] {
                assert_eq!(identity(spelled), accents, "{folder} {spelled}");
            }
            // A new file in an existing folder.
            assert_eq!(identity("/data/policy/New.mg"), Path::new(folder).join("Policy/New.mg"));
        }
        // Two spellings of one folder are one folder.
        let folders = ["/Data".into(), "/data".into(), "/data/POLICY".into()];
        let identities = Identities::of_folders_on(&folders, &real);
        let all: Vec<_> = identities.folders().collect();
        assert_eq!(all, [Path::new("/Data"), Path::new("/Data/Policy")]);
    }

    #[test]
    fn links_of_programs_stand_for_what_is_in_none() {
        let disk = Disk::new(&["w/a.mg", "x.mg", "w/x.mg -> x.mg", "w/y.mg -> x.mg", "w/z.mg -> w/a.mg"]);
        let mut identities = Identities::of_folders(&[disk.path("w")]);
        identities.set_links(vec![disk.link("w/x.mg", "x.mg", true)]);
        let found = ["x.mg", "w/x.mg", "w/y.mg", "w/z.mg"].map(|path| disk.identity(&identities, path));
        assert_eq!(found, ["w/x.mg", "w/x.mg", "w/x.mg", "w/a.mg"]);
        let affected = identities.affected(&ResolvedPath::read(&disk.path("x.mg")));
        assert_eq!(affected, [disk.path("w/x.mg"), disk.path("x.mg")]);
        // In another program, the target is a file of its own.
        identities.set_links(vec![disk.link("w/z.mg", "w/a.mg", false)]);
        let found = ["w/z.mg", "w/a.mg"].map(|path| disk.identity(&identities, path));
        assert_eq!(found, ["w/z.mg", "w/a.mg"]);
    }
}
