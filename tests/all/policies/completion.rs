//! How good completion is: words are deleted from real programs, and asked for.
//!
//! For each kind of word: the mean reciprocal rank of the deleted word among the proposals, as an editor
//! shows them after 0, 1 or 3 letters of it, and how often it is among the first five. On the examples
//! there is a floor. `cargo xtask corpus --corpus DIR` prints the figures for codeNERD.

use crate::support;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mangle_engine::program::{FileSummary, Program};
use mangle_engine::types::{ProgramTypes, TypeCache};
use mangle_ide::completion::{Completions, completions};
use mangle_ide::inlay_hints::inlay_hints;
use mangle_ide::mention::{self, Entity, StatementPart};
use mangle_ide::{Analysis, Place};
use mangle_settings::{ArgumentHints, HintSettings};
use mangle_syntax::syntax::{SourceFile, TokenKind};
use mangle_syntax::text::{FileId, TextRange, size};
use support::{Random, root};

/// How many letters of a word are left.
const KEPT: [usize; 3] = [0, 1, 3];

/// A program that can be asked.
struct Asked {
    program: Program,
    types: ProgramTypes,
    file: FileId,
    source: SourceFile,
}

impl Analysis for Asked {
    fn program(&self) -> &Program {
        &self.program
    }

    fn types(&self) -> &ProgramTypes {
        &self.types
    }

    fn source(&self, file: FileId) -> Option<&SourceFile> {
        (file == self.file).then_some(&self.source)
    }
}

/// A word of a program.
struct Word {
    file: usize,
    range: TextRange,
    kind: &'static str,
}

/// The words of a file by kind.
fn words(file: usize, source: &SourceFile, into: &mut Vec<Word>) {
    for item in source.items().iter().filter(|item| !item.statement.damaged) {
        mention::each(item, &mut |mention| {
            let kind = match (mention.entity, mention.part) {
                (Entity::Predicate(_), StatementPart::Fact) => "head of a fact",
                (Entity::Predicate(_), StatementPart::Head) => "head of a rule",
                (Entity::Predicate(_), StatementPart::Body | StatementPart::Negated) => "premise",
                (Entity::Builtin(_), _) => "built-in",
                (Entity::Function(_), _) => "function",
                (Entity::Variable(_), StatementPart::Head) => "variable in a head",
                (Entity::Variable(_), StatementPart::Body | StatementPart::Negated) => "variable in a body",
                (Entity::Variable(_), StatementPart::Transform) => "variable in a transform",
                (Entity::Name(_), StatementPart::Fact) => "name in a fact",
                (Entity::Name(_), StatementPart::Head | StatementPart::Body | StatementPart::Negated) => {
                    "name in a rule"
                }
                (Entity::Type(_) | Entity::Constructor(_), StatementPart::Bound) => "type",
                (Entity::Descriptor(_), _) => "descriptor",
                _ => return,
            };
            into.push(Word { file, range: mention.range, kind });
        });
    }
    let keywords = source.all_tokens().into_iter().filter(|token| token.kind == TokenKind::Keyword);
    into.extend(keywords.map(|token| Word { file, range: token.range, kind: "keyword" }));
}

/// What became of the words of one kind.
#[derive(Default)]
struct Score {
    places: u32,
    reciprocal: f64,
    first: u32,
    among_five: u32,
    by_kept: [(u32, f64); KEPT.len()],
}

impl Score {
    fn mean(&self) -> f64 {
        self.reciprocal / f64::from(self.places)
    }

    fn hits(&self) -> f64 {
        f64::from(self.among_five) / f64::from(self.places)
    }
}

/// Deletes up to `each` words of each kind, and asks for them.
fn evaluate(texts: &[Arc<str>], each: usize) -> (BTreeMap<&'static str, Score>, Vec<Duration>) {
    let sources: Vec<_> = texts.iter().map(|text| SourceFile::parse(Arc::clone(text))).collect();
    let files: Vec<_> =
        (0..).zip(&sources).map(|(id, it)| Arc::new(FileSummary::new(FileId(id), it))).collect();
    let mut all = Vec::new();
    sources.iter().enumerate().for_each(|(file, source)| words(file, source, &mut all));
    let mut kinds: BTreeMap<&str, Vec<Word>> = BTreeMap::new();
    all.into_iter().for_each(|word| kinds.entry(word.kind).or_default().push(word));
    let (mut cache, mut random) = (TypeCache::default(), Random(7));
    let (mut scores, mut times): (BTreeMap<&str, Score>, Vec<Duration>) = Default::default();
    for (kind, mut words) in kinds {
        for round in 0..each.min(words.len()) {
            let word = words.swap_remove(random.below(words.len()));
            let text = &texts[word.file];
            let range = usize::from(word.range.start())..usize::from(word.range.end());
            let wanted = text[range.clone()].to_owned();
            let kept = KEPT[round % KEPT.len()].min(wanted.chars().count() - 1);
            let typed: String = wanted.chars().take(kept).collect();
            let offset = size(range.start + typed.len());
            let cut = format!("{}{typed}{}", &text[..range.start], &text[range.end..]);
            let source = SourceFile::parse(cut.into());
            let file = FileId(u32::try_from(word.file).unwrap());
            let mut files = files.clone();
            files[word.file] = Arc::new(FileSummary::new(file, &source));
            let program = Program::new(files);
            let types = ProgramTypes::new(&program, &mut cache);
            let asked = Asked { program, types, file, source };
            let start = Instant::now();
            let found = completions(Place::new(&asked, file, offset).unwrap());
            times.push(start.elapsed());
            let rank = rank(&found, &typed, &wanted);
            if std::env::var_os("MANGLE_LS_MISSES").is_some_and(|of| of == kind)
                && rank.is_none_or(|it| it > 5)
            {
                let first: Vec<_> = found.items.iter().take(6).map(|item| item.label.as_str()).collect();
                let line = text[range.start..].lines().next().unwrap_or("");
                let before = text[..range.start].rsplit('\n').next().unwrap_or("");
                eprintln!(
                    "{rank:?} `{typed}|{wanted}` in {before}|{line}: {first:?} of {}",
                    found.items.len()
                );
            }
            let score = scores.entry(kind).or_default();
            let reciprocal = rank.map_or(0.0, |rank| 1.0 / f64::from(rank));
            score.places += 1;
            score.reciprocal += reciprocal;
            score.first += u32::from(rank == Some(1));
            score.among_five += u32::from(rank.is_some_and(|rank| rank <= 5));
            let (count, sum) = &mut score.by_kept[round % KEPT.len()];
            *count += 1;
            *sum += reciprocal;
        }
    }
    (scores, times)
}

/// The rank of the right answer as an editor shows it: what begins with the typed letters comes first, then
/// what has them in this order.
fn rank(found: &Completions, typed: &str, wanted: &str) -> Option<u32> {
    let begins = |label: &str| label.to_lowercase().starts_with(&typed.to_lowercase());
    let has = |label: &str| {
        let mut letters = label.chars().map(|letter| letter.to_ascii_lowercase());
        typed.chars().all(|wanted| letters.any(|letter| letter == wanted.to_ascii_lowercase()))
    };
    let labels = || found.items.iter().map(|item| item.label.as_str());
    let shown =
        labels().filter(|label| begins(label)).chain(labels().filter(|label| !begins(label) && has(label)));
    let is_right =
        |label: &str| label == wanted || label.strip_prefix(wanted).is_some_and(|it| it.starts_with('('));
    (1..).zip(shown).find(|(_, label)| is_right(label)).map(|(rank, _)| rank)
}

fn table(scores: &BTreeMap<&str, Score>, times: &mut [Duration]) -> (String, Score) {
    let mut out = format!(
        "{:<24} {:>6} {:>6} {:>6} {:>6}   MRR after 0, 1, 3 letters\n",
        "", "places", "MRR", "hit@1", "hit@5"
    );
    let mut all = Score::default();
    for score in scores.values() {
        all.places += score.places;
        all.reciprocal += score.reciprocal;
        all.first += score.first;
        all.among_five += score.among_five;
        for (sum, one) in all.by_kept.iter_mut().zip(&score.by_kept) {
            *sum = (sum.0 + one.0, sum.1 + one.1);
        }
    }
    for (kind, score) in scores.iter().map(|(kind, score)| (*kind, score)).chain([("all", &all)]) {
        let hit = f64::from(score.first) / f64::from(score.places);
        let kept = score.by_kept.map(|(count, sum)| format!("{:.2}", sum / f64::from(count))).join(" ");
        let (mean, hits) = (score.mean(), score.hits());
        writeln!(out, "{kind:<24} {:>6} {mean:>6.3} {hit:>6.3} {hits:>6.3}   {kept}", score.places).unwrap();
    }
    times.sort_unstable();
    let at = |percent: usize| times[times.len() * percent / 100].as_secs_f64() * 1e3;
    writeln!(out, "time: p50 {:.2} ms, p95 {:.2} ms", at(50), at(95)).unwrap();
    (out, all)
}

/// The programs of the examples.
fn examples() -> Vec<Vec<Arc<str>>> {
    ["guardian", "incident"]
        .map(|name| {
            let folder = std::fs::read_dir(root().join("examples").join(name)).unwrap();
            let mut paths: Vec<_> = folder.map(|entry| entry.unwrap().path()).collect();
            paths.retain(|path| {
                path.extension().is_some_and(|extension| extension == "mg" || extension == "gl")
            });
            paths.sort();
            paths.iter().map(|path| std::fs::read_to_string(path).unwrap().into()).collect()
        })
        .into()
}

#[test]
fn the_right_word_is_among_the_first_in_the_examples() {
    for texts in examples() {
        let (scores, mut times) = evaluate(&texts, 60);
        let (table, all) = table(&scores, &mut times);
        eprintln!("{table}");
        assert!(all.places > 300, "{}", all.places);
        assert!(all.mean() >= 0.75 && all.hits() >= 0.83, "{table}");
    }
}

/// Hints for every line of a program, as they are by default: a line has less than one of them.
#[test]
fn hints_are_few() {
    let program = examples().into_iter().chain(support::kernel_texts());
    for texts in program {
        let sources: Vec<_> = texts.iter().map(|text| SourceFile::parse(Arc::clone(text))).collect();
        let files = (0..).zip(&sources).map(|(id, it)| Arc::new(FileSummary::new(FileId(id), it)));
        let program = Program::new(files.collect());
        let types = ProgramTypes::new(&program, &mut TypeCache::default());
        let asked = Asked { program, types, file: FileId(0), source: sources[0].clone() };
        let of = |settings: &HintSettings| {
            let (mut hints, mut lines) = (0_u32, 0_u32);
            for (file, text) in (0..).zip(&texts) {
                let range = TextRange::up_to(size(text.len()));
                hints += u32::try_from(inlay_hints(&asked, FileId(file), range, settings).len()).unwrap();
                lines += u32::try_from(text.lines().count()).unwrap();
            }
            f64::from(hints) / f64::from(lines)
        };
        let off = HintSettings {
            arguments: ArgumentHints::Off,
            types: false,
            columns: false,
            bounds: false,
            unfired: false,
        };
        let each = [
            ("arguments = constants", HintSettings { arguments: ArgumentHints::Constants, ..off }),
            ("arguments = all", HintSettings { arguments: ArgumentHints::All, ..off }),
            ("types", HintSettings { types: true, ..off }),
            ("columns", HintSettings { columns: true, ..off }),
            ("bounds", HintSettings { bounds: true, ..off }),
        ];
        for (what, settings) in each {
            eprintln!("hints a line, {what}: {:.2}", of(&settings));
        }
        let default = of(&HintSettings::default());
        eprintln!("hints a line, by default: {default:.2}");
        assert!(default < 1.0, "{default}");
    }
}

#[test]
#[ignore = "needs MANGLE_LS_CORPUS"]
fn figures_of_the_corpus() {
    let texts = support::corpus_texts();
    let (scores, mut times) = evaluate(&texts, 120);
    eprintln!("{}", table(&scores, &mut times).0);
}
