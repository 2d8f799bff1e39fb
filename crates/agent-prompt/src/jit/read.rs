//! Reader for YAML files with prompt atoms.
//!
//! Follows the reference runtime. A file contains one atom or a list of atoms, and unknown keys are
//! ignored. A value of the wrong type invalidates the whole file; a missing key invalidates only
//! its atom.
//!
//! Files of evolved atoms contain one atom under `atom:`. Their keys are in lower case without `_`,
//! and their atoms are not validated.

use std::sync::Arc;

use super::atom::{AtomKind, AtomText, Category, Dimension, PromptAtom, Word};
use super::file_format;
use super::file_format::{SYNONYMS, all_keys};
use crate::names::near_key;
use crate::session::tree;
use crate::session::tree::{TreeKey, TreeKind as Value, TreeNode};
use mangle_syntax::text::{FileId, TextRange, size, slice};

/// The value type of a selector.
const LIST: &str = "a list of texts";

/// A YAML file with prompt atoms.
#[derive(Debug, Clone)]
pub struct AtomFile {
    /// The id of the file, for ranges.
    pub file: FileId,
    /// The source of the atoms.
    pub kind: AtomKind,
    /// The agent of the atoms, for [`AtomKind::Agent`].
    pub agent: Option<Arc<str>>,
    /// The text of the file. Ranges of atoms are offsets in this text.
    pub text: Arc<str>,
}

/// All atoms in collection order, with the faults of their files.
#[derive(Debug, Clone, Default)]
pub struct Corpus {
    /// All prompt atoms, in the collection order of the runtime.
    pub atoms: Vec<Arc<PromptAtom>>,
    /// The faults in the files.
    pub faults: Vec<AtomFault>,
}

/// A fault in a file of atoms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtomFault {
    /// The file of the range.
    pub file: FileId,
    /// The range of the fault, from the start of the file.
    pub range: TextRange,
    /// The id of the faulty atom; empty for a whole file and for an atom without an id.
    pub atom: String,
    /// The kind of fault.
    pub kind: FaultKind,
}

impl AtomFault {
    /// An unreadable file. `why` is the end of a sentence.
    #[must_use]
    pub fn of_file(file: FileId, why: String) -> Self {
        Self { file, range: TextRange::default(), atom: String::new(), kind: FaultKind::File(why) }
    }
}

/// The kind of a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// The file is unreadable, and all its atoms are skipped. The reason is the end of a sentence.
    File(String),
    /// A value has the wrong type, and all atoms of the file are skipped.
    Value {
        /// The key as the file spells it.
        key: String,
        /// The expected type, as text.
        wants: &'static str,
        /// The value in the expected form, if it is unambiguous.
        instead: Option<String>,
    },
    /// The atom lacks this key (`id` or `category`) and is skipped.
    Missing(&'static str),
    /// The category is unknown, and the atom is skipped.
    Category(String),
    /// The atom has no content and is skipped.
    NoContent,
    /// The content file is missing or unreadable.
    ContentFile(String),
    /// The atom depends on itself or conflicts with itself, and is skipped.
    SelfReference(&'static str),
    /// The key is unknown, and the runtime ignores it.
    Key {
        /// The key as the file spells it.
        key: String,
        /// The suggested key.
        nearest: Option<String>,
    },
}

/// Opens the content file of an atom: the referring file, and the path relative to it.
type OpenContent<'o> = &'o mut dyn FnMut(FileId, &str) -> Option<(FileId, Arc<str>)>;

impl Corpus {
    /// Reads files, given in the collection order of the runtime.
    pub fn read(files: &[AtomFile], open: OpenContent<'_>) -> Self {
        let mut corpus = Self::default();
        for file in files {
            let mut reader = Reader { file, open: &mut *open, atom: String::new(), faults: Vec::new() };
            let atoms = reader.file();
            corpus.faults.append(&mut reader.faults);
            corpus.atoms.extend(atoms.into_iter().map(Arc::new));
        }
        corpus
    }

    /// Adds the atom of a `PROMPT:` line. `category` is its first tag; empty means `domain`.
    ///
    /// The runtime does not make the atom mandatory and derives no facts about it. Only a search
    /// can find the atom.
    ///
    /// # Errors
    ///
    /// If the category is unknown: its name. The runtime does not store such an atom.
    pub fn add_directive(
        &mut self,
        id: Word,
        category: &Word,
        content: &Word,
        file: FileId,
        range: TextRange,
    ) -> Result<(), String> {
        let word = category.text.trim();
        let category = if word.is_empty() { Some(Category::Domain) } else { Category::parse(word) };
        let category = category.ok_or_else(|| word.to_owned())?;
        let lines = content.text.split('\n').map(|_| content.range).collect();
        let content = AtomText { text: Arc::from(&*content.text), file: Some(file), lines };
        self.atoms.push(Arc::new(PromptAtom {
            id,
            category,
            kind: AtomKind::Directive,
            agent: None,
            file: Some(file),
            range,
            tokens: content.tokens(),
            content,
            concise: None,
            min: None,
            priority: 0,
            is_mandatory: false,
            exclusive: None,
            depends_on: Vec::new(),
            conflicts_with: Vec::new(),
            selectors: Default::default(),
        }));
        Ok(())
    }
}

struct Reader<'a, 'o> {
    file: &'a AtomFile,
    open: OpenContent<'o>,
    /// The id of the current atom; empty if it has none.
    atom: String,
    faults: Vec<AtomFault>,
}

/// Error: a value has the wrong type, and the whole file is skipped.
struct WrongKind;

impl Reader<'_, '_> {
    fn file(&mut self) -> Vec<PromptAtom> {
        let root = match tree::parse_yaml(&self.file.text) {
            Ok(root) => root,
            Err(unread) => {
                self.fault(unread.range, FaultKind::File(unread.why));
                return Vec::new();
            }
        };
        let maps: Vec<&TreeNode> = match &root.kind {
            Value::Null => Vec::new(),
            Value::List(list) if self.file.kind != AtomKind::Evolved => list.iter().collect(),
            Value::Map(members) if self.file.kind == AtomKind::Evolved => {
                members.iter().filter(|(key, _)| key.text == "atom").map(|(_, node)| node).collect()
            }
            Value::Map(_) => vec![&root],
            Value::List(_) | Value::Scalar(_) => {
                self.fault(root.range, FaultKind::File(format!("it is {}, not atoms", root.described())));
                return Vec::new();
            }
        };
        let mut atoms = Vec::new();
        // Null entries of a list are ignored.
        for node in maps.into_iter().filter(|node| node.kind != Value::Null) {
            match self.atom(node) {
                Ok(atom) => atoms.extend(atom),
                Err(WrongKind) => return Vec::new(),
            }
        }
        atoms
    }

    fn fault(&mut self, range: TextRange, kind: FaultKind) {
        let atom = self.atom.clone();
        self.faults.push(AtomFault { file: self.file.file, range, atom, kind });
    }

    /// The key in the spelling of this kind of file.
    fn written(&self, key: &str) -> String {
        if self.file.kind == AtomKind::Evolved { key.replace('_', "") } else { key.to_owned() }
    }

    /// Reads an atom; `None` if the atom is skipped.
    fn atom(&mut self, node: &TreeNode) -> Result<Option<PromptAtom>, WrongKind> {
        self.atom.clear();
        let members = match &node.kind {
            Value::Map(members) => &file_format::merged(members),
            _ => return Err(self.lost(node, "an atom", "a table of keys and values")),
        };
        if let Some(TreeNode { kind: Value::Scalar(id), .. }) = self.member(members, "id") {
            self.atom.clone_from(id);
        }
        self.repeated(node)?;
        self.unknown_keys(members);
        let id = self.word(members, "id")?;
        let category = self.word(members, "category")?;
        let content = self.text(members, "content")?;
        let content_file = self.word(members, "content_file")?;
        let mut selectors: [Vec<Word>; 11] = Default::default();
        for dimension in Dimension::ALL {
            selectors[dimension as usize] = self.words(members, dimension.key())?;
        }
        let (concise, min) = (self.text(members, "content_concise")?, self.text(members, "content_min")?);
        let priority = self.number(members, "priority")?;
        let is_mandatory = self.truth(members, "is_mandatory")?;
        let exclusive = self.word(members, "is_exclusive")?;
        let (depends_on, conflicts_with) =
            (self.words(members, "depends_on")?, self.words(members, "conflicts_with")?);
        self.word(members, "description")?;
        self.word(members, "subcategory")?;
        let tokens = self.number(members, "token_count")?;
        let Some(id) = id.filter(|id| !id.text.is_empty()) else {
            self.fault(node.range, FaultKind::Missing("id"));
            return Ok(None);
        };
        let Some(category) = category.filter(|word| !word.text.is_empty()) else {
            self.fault(id.range, FaultKind::Missing("category"));
            return Ok(None);
        };
        let Some(of) = Category::parse(&category.text) else {
            self.fault(category.range, FaultKind::Category(category.text));
            return Ok(None);
        };
        let Some(content) = self.content(content, content_file, &id)? else { return Ok(None) };
        for (words, key) in [(&depends_on, "depends_on"), (&conflicts_with, "conflicts_with")] {
            if let Some(same) = words.iter().find(|word| word.text == id.text) {
                self.fault(same.range, FaultKind::SelfReference(key));
                return Ok(None);
            }
        }
        // The runtime does not count tokens of evolved atoms; it uses only the number in the file.
        let tokens = if self.file.kind == AtomKind::Evolved { tokens } else { content.tokens() };
        Ok(Some(PromptAtom {
            id,
            category: of,
            kind: self.file.kind,
            agent: self.file.agent.clone(),
            file: Some(self.file.file),
            range: node.range,
            content,
            concise,
            min,
            priority,
            is_mandatory,
            exclusive: exclusive.filter(|word| !word.text.is_empty()),
            depends_on,
            conflicts_with,
            selectors,
            tokens,
        }))
    }

    /// The content of the atom: its own text, or the text of its content file.
    fn content(
        &mut self,
        content: Option<AtomText>,
        file: Option<Word>,
        id: &Word,
    ) -> Result<Option<AtomText>, WrongKind> {
        let said = content.filter(|body| !body.text.trim().is_empty());
        let Some(name) = file.filter(|word| !word.text.is_empty() && said.is_none()) else {
            if said.is_none() {
                self.fault(id.range, FaultKind::NoContent);
            }
            return Ok(said);
        };
        let Some((file, text)) = (self.open)(self.file.file, &name.text) else {
            self.fault(name.range, FaultKind::ContentFile(name.text));
            return Ok(None);
        };
        if text.trim().is_empty() {
            self.fault(name.range, FaultKind::NoContent);
            return Ok(None);
        }
        let whole = TextRange::up_to(size(text.len()));
        let lines = lines(&text, whole, &text);
        Ok(Some(AtomText { text, file: Some(file), lines }))
    }

    /// Reports a duplicate key, which invalidates the whole file.
    fn repeated(&mut self, node: &TreeNode) -> Result<(), WrongKind> {
        let Some(key) = file_format::repeated(node) else { return Ok(()) };
        self.fault(key.range, FaultKind::File(format!("the key `{}` is twice in this atom", key.text)));
        Err(WrongKind)
    }

    fn unknown_keys(&mut self, members: &[(TreeKey, TreeNode)]) {
        let known: Vec<String> = all_keys().map(|key| self.written(key)).collect();
        let also = ["version", "tokencount", "contenthash", "embedding", "embeddingtask", "createdat"];
        let is_known = |key: &str| {
            known.iter().any(|known| known == key)
                || (self.file.kind == AtomKind::Evolved && also.contains(&key))
        };
        let unknown: Vec<&TreeKey> =
            members.iter().map(|(key, _)| key).filter(|key| !is_known(&key.text)).collect();
        for key in unknown {
            let nearest = self.meant(&key.text, &known);
            self.fault(key.range, FaultKind::Key { key: key.text.clone(), nearest });
        }
    }

    /// The known key that an unknown key probably means.
    fn meant(&self, key: &str, known: &[String]) -> Option<String> {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let near = near_key(key, &known, SYNONYMS).map(str::to_owned);
        // The table of synonyms has the standard spelling of keys, not the spelling of evolved
        // atoms.
        let evolved =
            || near_key(key, &all_keys().collect::<Vec<_>>(), SYNONYMS).map(|key| self.written(key));
        near.or_else(|| evolved().filter(|near| near != key && known.contains(&near.as_str())))
    }

    fn lost(&mut self, node: &TreeNode, key: &str, wants: &'static str) -> WrongKind {
        let is_list = wants == LIST;
        let instead = match &node.kind {
            Value::Scalar(_) if is_list => Some(format!("[{}]", slice(&self.file.text, node.range))),
            _ => None,
        };
        self.fault(node.range, FaultKind::Value { key: key.to_owned(), wants, instead });
        WrongKind
    }

    fn member<'m>(&self, members: &'m [(TreeKey, TreeNode)], key: &str) -> Option<&'m TreeNode> {
        let key = self.written(key);
        members.iter().find(|(known, _)| known.text == key).map(|(_, node)| node)
    }

    fn scalar<'m>(
        &mut self,
        members: &'m [(TreeKey, TreeNode)],
        key: &str,
        wants: &'static str,
    ) -> Result<Option<(&'m str, &'m TreeNode)>, WrongKind> {
        match self.member(members, key) {
            None => Ok(None),
            Some(node) => match &node.kind {
                Value::Null => Ok(None),
                Value::Scalar(text) => Ok(Some((text, node))),
                Value::List(_) | Value::Map(_) => Err(self.lost(node, key, wants)),
            },
        }
    }

    fn word(&mut self, members: &[(TreeKey, TreeNode)], key: &str) -> Result<Option<Word>, WrongKind> {
        let found = self.scalar(members, key, "a text")?;
        Ok(found.map(|(text, node)| Word { text: text.to_owned(), range: node.range }))
    }

    fn text(&mut self, members: &[(TreeKey, TreeNode)], key: &str) -> Result<Option<AtomText>, WrongKind> {
        let found = self.scalar(members, key, "a text")?.filter(|(text, _)| !text.is_empty());
        Ok(found.map(|(text, node)| AtomText {
            text: Arc::from(text),
            file: Some(self.file.file),
            lines: lines(&self.file.text, node.range, text),
        }))
    }

    fn number(&mut self, members: &[(TreeKey, TreeNode)], key: &str) -> Result<i64, WrongKind> {
        match self.scalar(members, key, "a whole number")? {
            None => Ok(0),
            Some((text, node)) => {
                let number = file_format::whole_number(text).filter(|_| !self.is_quoted(node));
                number.ok_or_else(|| self.lost(node, key, "a whole number"))
            }
        }
    }

    fn truth(&mut self, members: &[(TreeKey, TreeNode)], key: &str) -> Result<bool, WrongKind> {
        match self.scalar(members, key, "true or false")? {
            None => Ok(false),
            Some((text, node)) => {
                let truth = file_format::truth(text, self.is_quoted(node));
                truth.ok_or_else(|| self.lost(node, key, "true or false"))
            }
        }
    }

    /// True if a value is quoted and therefore always a text.
    fn is_quoted(&self, node: &TreeNode) -> bool {
        slice(&self.file.text, node.range).starts_with(['"', '\''])
    }

    fn words(&mut self, members: &[(TreeKey, TreeNode)], key: &str) -> Result<Vec<Word>, WrongKind> {
        let Some(node) = self.member(members, key) else { return Ok(Vec::new()) };
        let list = match &node.kind {
            Value::Null => return Ok(Vec::new()),
            Value::List(list) => list,
            Value::Scalar(_) | Value::Map(_) => return Err(self.lost(node, key, LIST)),
        };
        let mut words = Vec::with_capacity(list.len());
        for node in list {
            match &node.kind {
                Value::Null => {}
                Value::Scalar(text) => words.push(Word { text: text.clone(), range: node.range }),
                Value::List(_) | Value::Map(_) => return Err(self.lost(node, key, LIST)),
            }
        }
        Ok(words)
    }
}

/// The range of each line of a text within `range`. A line that is written differently in the file
/// has the whole range.
fn lines(file: &str, range: TextRange, text: &str) -> Vec<TextRange> {
    let source = slice(file, range);
    let mut at = 0;
    text.split('\n')
        .map(|line| {
            let line = line.trim();
            if line.is_empty() {
                return TextRange::empty(range.start() + size(at));
            }
            source.get(at..).and_then(|rest| rest.find(line)).map_or(range, |found| {
                let start = at + found;
                at = start + line.len();
                TextRange::at(range.start() + size(start), size(line.len()))
            })
        })
        .collect()
}
