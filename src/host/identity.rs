//! One identity for each file, however many paths lead to it: through links, and through linked folders.
//!
//! The identity of a file is where its path leads. It is spelled as the workspace folder around it is, since that is the
//! spelling that the client knows. A link to a file that is in no program of the workspace itself stands for that file.

use std::path::{Path, PathBuf};

use super::paths::real;

/// A path as it is spelled, and where it leads on disk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResolvedPath {
    /// The path as it is spelled.
    spelled: PathBuf,
    /// The path without links to folders.
    entry: PathBuf,
    /// Where the path leads; the same as `entry` unless that is a link.
    target: PathBuf,
}

impl ResolvedPath {
    /// Follows the links of an absolute path. What is not there, and what is no path on disk, leads to itself.
    #[must_use]
    pub fn read(path: &Path) -> Self {
        Self::read_on(path, &real)
    }

    /// [`ResolvedPath::read`] on a disk where `real` says where a path leads, and how it is written there.
    fn read_on(path: &Path, real: &dyn Fn(&Path) -> PathBuf) -> Self {
        let (true, Some(folder), Some(name)) = (path.is_absolute(), path.parent(), path.file_name()) else {
            let [spelled, entry, target] = [path; 3].map(Path::to_path_buf);
            return Self { spelled, entry, target };
        };
        Self { spelled: path.into(), entry: real(folder).join(name), target: real(path) }
    }

    /// The path as it is spelled.
    #[must_use]
    pub fn spelled(&self) -> &Path {
        &self.spelled
    }
}

/// A link that is in a program, and where it leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberLink {
    pub path: PathBuf,
    /// The file that it leads to, without links.
    pub target: PathBuf,
    /// Whether the file is in no program itself, so that the link stands for it.
    pub stands_for_target: bool,
}

/// What decides the identity of a file: the workspace folders, and the links that are in programs.
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
    /// Those of a workspace with these folders. Of two spellings of one folder the lesser counts, and a folder inside
    /// another one is spelled as that.
    #[must_use]
    pub fn of_folders(spelled: &[PathBuf]) -> Self {
        Self::of_folders_on(spelled, &real)
    }

    /// [`Identities::of_folders`] on a disk where `real` says where a path leads.
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

    /// The folders, each once.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(|folder| folder.spelled.as_path())
    }

    /// Sets the links that are in programs. Gives whether they are others than before.
    pub fn set_links(&mut self, mut links: Vec<MemberLink>) -> bool {
        links.sort_by(|one, another| one.path.cmp(&another.path));
        let different = self.links != links;
        self.links = links;
        different
    }

    /// The identity of the file that a path leads to.
    #[must_use]
    pub fn identity(&self, path: &ResolvedPath) -> PathBuf {
        let entry = self.spelling(&path.entry);
        if self.links.binary_search_by(|link| link.path.cmp(&entry)).is_ok() {
            return entry;
        }
        let standing = self.links.iter().find(|link| link.stands_for_target && link.target == path.target);
        standing.map_or_else(|| self.spelling(&path.target), |link| link.path.clone())
    }

    /// The identities that an event at a path is about: of the directory entry, of where it leads, and of the links that
    /// lead there, too.
    #[must_use]
    pub fn affected(&self, path: &ResolvedPath) -> Vec<PathBuf> {
        let mut all = vec![self.spelling(&path.entry), self.spelling(&path.target)];
        let links = self.links.iter().filter(|link| link.target == path.target);
        all.extend(links.map(|link| link.path.clone()));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// A path without links, as the workspace folder around it is spelled.
    fn spelling(&self, path: &Path) -> PathBuf {
        self.respelled(path).unwrap_or_else(|| path.into())
    }

    fn respelled(&self, path: &Path) -> Option<PathBuf> {
        // The outermost come first.
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
        /// Makes files, and links (`link -> target`).
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

    /// A disk that takes capitals, and both ways to write a letter with an accent, for the same, as those of Windows and macOS do:
    /// the files that it has, as they are written there.
    struct Folding(&'static [&'static str]);

    impl Folding {
        /// How the disk compares names.
        fn folded(path: &str) -> String {
            path.to_lowercase().replace("e\u{301}", "\u{e9}")
        }

        /// The path as it is on the disk; what is not there lies where its folder is.
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
            // A file that comes: its folder is there.
            assert_eq!(identity("/data/policy/New.mg"), Path::new(folder).join("Policy/New.mg"));
        }
        // Two spellings of a folder are one folder.
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
        // In another program it is a file of its own.
        identities.set_links(vec![disk.link("w/z.mg", "w/a.mg", false)]);
        let found = ["w/z.mg", "w/a.mg"].map(|path| disk.identity(&identities, path));
        assert_eq!(found, ["w/z.mg", "w/a.mg"]);
    }
}
