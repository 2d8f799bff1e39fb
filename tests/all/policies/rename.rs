//! Renaming any symbol and renaming it back restores every byte, and in between the program has the same findings:
//! in the examples, and in codeNERD's kernel program if `MANGLE_LS_CORPUS` names a checkout
//! (`cargo xtask corpus --corpus DIR` prints the figures).

use crate::support;
use crate::support::world;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Arc;

use mangle_check::diagnostics::{FindingCache, diagnostics};
use mangle_engine::program::Program;
use mangle_ide::Place;
use mangle_ide::mention::{Entity, each};
use mangle_ide::rename::{RenameRefusal, rename};
use mangle_settings::RuleSettings;
use mangle_syntax::lint::FileEdit;
use mangle_syntax::text::{FileId, TextRange, TextSize};
use support::Random;
use world::World;

/// What is done with a program.
trait Renaming {
    fn rename(&self, file: FileId, at: TextSize, new: &str) -> Result<Vec<FileEdit>, RenameRefusal>;
    fn findings(&self, cache: &FindingCache, adjust: &Adjust<'_>) -> Vec<String>;
}

impl Renaming for World {
    fn rename(&self, file: FileId, at: TextSize, new: &str) -> Result<Vec<FileEdit>, RenameRefusal> {
        rename(Place::new(self, file, at).unwrap(), &[], new)
    }

    /// The findings with their places: rule, file, range, message, each related place.
    fn findings(&self, cache: &FindingCache, adjust: &Adjust<'_>) -> Vec<String> {
        let mut shown = Vec::new();
        for (file, found) in diagnostics(&self.program, &RuleSettings::default(), cache) {
            for one in found {
                let mut line = format!(
                    "{} {file:?} {:?} {}",
                    one.rule.name,
                    adjust.range(file, one.range),
                    adjust.words(&one.message)
                );
                for related in &one.related {
                    let range = adjust.range(related.file, related.range);
                    line += &format!(" | {:?} {range:?} {}", related.file, adjust.words(&related.message));
                }
                shown.push(line);
            }
        }
        shown.sort();
        shown
    }
}

/// From a renamed program back to the one before: places and words.
struct Adjust<'e> {
    edits: &'e [FileEdit],
    /// The new name and the old one.
    names: Option<(&'e str, &'e str)>,
}

impl Adjust<'_> {
    fn range(&self, file: FileId, range: TextRange) -> TextRange {
        let back = |offset: TextSize| {
            let mut moved = i64::from(u32::from(offset));
            for edit in self.edits.iter().filter(|edit| edit.file == file) {
                let grown = i64::try_from(edit.text.len()).unwrap() - i64::from(u32::from(edit.range.len()));
                if moved > i64::from(u32::from(edit.range.start())) {
                    moved -= grown;
                }
            }
            TextSize::new(u32::try_from(moved).unwrap())
        };
        TextRange::new(back(range.start()), back(range.end()))
    }

    /// The text with the old name wherever the new one is a word of its own.
    fn words(&self, text: &str) -> String {
        let Some((new, old)) = self.names else { return text.to_owned() };
        let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
        let (mut out, mut rest) = (String::new(), text);
        while let Some(at) = rest.find(new) {
            let (before, behind) = (&rest[..at], &rest[at + new.len()..]);
            let is_word = !before.ends_with(is_part) && !behind.starts_with(is_part);
            out.push_str(before);
            out.push_str(if is_word { old } else { new });
            rest = behind;
        }
        out + rest
    }
}

/// Rules that compare clauses word by word: two clauses that differ in the name of a
/// variable are two to them. They are left out where a variable is renamed.
const BY_WORDS: [&str; 2] = ["duplicate-clause", "subsumed-rule"];

/// The kinds of symbols that are renamed in turn.
const KINDS: [&str; 3] = ["predicate", "variable", "name"];

/// A mention of each symbol that could be renamed, by kind.
fn symbols(program: &Program) -> [Vec<(FileId, TextRange)>; 3] {
    let mut found: [Vec<_>; 3] = Default::default();
    for file in program.files.iter() {
        for item in file.items.iter() {
            each(item, &mut |mention| {
                let kind = match mention.entity {
                    Entity::Predicate(_) => 0,
                    Entity::Variable(_) => 1,
                    Entity::Name(_) | Entity::Type(_) => 2,
                    _ => return,
                };
                found[kind].push((file.id, mention.range));
            });
        }
    }
    found
}

/// A name that nothing in the program has, as long as the old one where there is any.
fn fresh(old: &str, taken: &BTreeSet<String>, random: &mut Random) -> String {
    let start = old.rfind(['/', '.']).map_or(0, |at| at + 1);
    let (before, own) = old.split_at(start);
    for attempt in 0.. {
        let letter = |random: &mut Random| char::from(b'a' + u8::try_from(random.below(26)).unwrap());
        let mut name: String = (0..own.len() + attempt / 60).map(|_| letter(random)).collect();
        if own.starts_with(|char: char| char.is_ascii_uppercase()) {
            name = name[..1].to_uppercase() + &name[1..];
        }
        if !taken.contains(&name) {
            return format!("{before}{name}");
        }
    }
    unreachable!()
}

/// The words of a program: nothing that is new may be among them.
fn words(texts: &[Arc<str>]) -> BTreeSet<String> {
    let split = |text: &Arc<str>| {
        let words = text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    let reserved = ["now", "opt", "let", "do", "fn", "descr", "bound"].map(str::to_owned);
    texts.iter().flat_map(split).chain(reserved).collect()
}

/// Renames `count` symbols there and back; gives how many of each kind were done and what was refused how often.
fn there_and_back(texts: &[Arc<str>], count: usize, seed: u64) -> (usize, BTreeMap<String, usize>) {
    let world = World::new(texts);
    let cache = FindingCache::new(mangle_ide::registry::all());
    let before = world.findings(&cache, &Adjust { edits: &[], names: None });
    let symbols = symbols(&world.program);
    let taken = words(texts);
    let mut random = Random(seed);
    let (mut done, mut refused) = (0, BTreeMap::new());
    for turn in 0.. {
        if done == count {
            break;
        }
        assert!(turn < 20 * count, "{refused:?}");
        let kind = turn % KINDS.len();
        let Some(&(file, range)) = symbols[kind].get(random.below(symbols[kind].len())) else { continue };
        let old = &texts[file.0 as usize][usize::from(range.start())..usize::from(range.end())];
        let new = fresh(old, &taken, &mut random);
        let edits = match world.rename(file, range.start(), &new) {
            Ok(edits) => edits,
            Err(refusal) => {
                let reason = refusal.message.replace(old, "…").replace(&new, "…");
                *refused.entry(format!("{}: {reason}", KINDS[kind])).or_default() += 1;
                continue;
            }
        };
        let renamed = world.after(&edits);
        let adjust = Adjust { edits: &edits, names: Some((&new, old)) };
        let after = renamed.findings(&cache, &adjust);
        let changed: Vec<_> = before
            .iter()
            .filter(|one| after.binary_search(one).is_err())
            .chain(after.iter().filter(|one| before.binary_search(one).is_err()))
            .filter(|one| KINDS[kind] != "variable" || !BY_WORDS.iter().any(|rule| one.starts_with(rule)))
            .collect();
        assert!(changed.is_empty(), "{old} → {new}: {changed:#?}");
        let first = &edits[0];
        let own = &old[old.rfind('.').filter(|_| kind == 0).map_or(0, |dot| dot + 1)..];
        let back = renamed.rename(first.file, first.range.start(), own).unwrap();
        let restored = renamed.after(&back);
        for (text, source) in texts.iter().zip(&restored.sources) {
            assert!(text == source.text(), "{old} → {new} and back");
        }
        done += 1;
    }
    (done, refused)
}

/// The policies of an example.
fn example(name: &str) -> Vec<Arc<str>> {
    let folder = support::root().join("examples").join(name);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "mg" || end == "gl"));
    files.sort();
    files.iter().map(|file| fs::read_to_string(file).unwrap().into()).collect()
}

#[test]
fn in_the_examples() {
    for name in ["guardian", "incident"] {
        there_and_back(&example(name), 30, 7);
    }
}

#[test]
fn in_packages_and_with_everything_that_has_a_name() {
    let texts = [
        "# 🦀\r\nPackage depot.rail!\r\nUse crew!\r\nDecl stop(Line, Name) descr [arg(Line, \"l\"), arg(Name, \"n\"), doc(\"d\")]\r\n  bound [/line, /any] inclusion [line(Line)].\r\nDecl best(Runner, Time) descr [fundep([Runner], [Time]), merge([Time], \"depot.rail.faster\")].\r\nDecl faster(A, B, C) descr [deferred(), mode(\"+\", \"+\", \"-\")].\r\nfaster(A, B, C) :- A < B, C = A.\r\nline(/line/a).\r\nstop(/line/a, \"é\").\r\nidle(L) :- line(L), crew.present(P), !depot.rail.stop(L, P).\r\nother(L) :- idle(L), L != /line/b .\r\n",
        "Package crew!\npresent(/p/ann).\npresent(/p/bob).\non(P)@[2024-01-01, _] :- present(P).\nn(P, N) :- present(P), [P, X] = [P, {/k : P}] |> do fn:group_by(P), let N = fn:count().\n",
    ];
    let texts = texts.map(Arc::from);
    let (done, refused) = there_and_back(&texts, 90, 3);
    assert_eq!(done, 90, "{refused:?}");
}

#[test]
#[ignore = "needs MANGLE_LS_CORPUS"]
fn in_the_corpus() {
    let texts = support::corpus_texts();
    let start = std::time::Instant::now();
    let (done, refused) = there_and_back(&texts, 500, 1);
    eprintln!("symbols renamed there and back: {done}, in {:.0} s", start.elapsed().as_secs_f64());
    for (reason, times) in &refused {
        eprintln!("  refused {times} times: {reason}");
    }
    assert_eq!(done, 500);
}
