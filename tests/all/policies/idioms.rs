//! Habits of other languages, put into real clauses: each gives exactly one finding, and its fix gives
//! back what was there.
//!
//! The clauses are those of the examples and, if `MANGLE_LS_CORPUS` is set, of codeNERD.

use crate::support;

use std::fs;

use mangle_syntax::lint::{Anchor, Finding};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::{Clause, Item, Literal, Operator, Premise, TermKind};
use mangle_syntax::text::TextRange;
use support::Random;

/// How often each habit is tried on each set of files.
const CASES: usize = 40;

/// What the fix must lead to.
#[derive(Clone, Copy, PartialEq)]
enum Fixed {
    /// The statements that were there before.
    Same,
    /// Statements without a finding.
    Clean,
    /// There is no fix.
    None,
}

/// A statement that a habit is put into.
struct Subject<'t> {
    text: &'t str,
    item: &'t Item,
}

impl Subject<'_> {
    fn clause(&self) -> Option<&Clause> {
        self.item.statement.clause()
    }

    fn slice(&self, range: TextRange) -> &str {
        &self.text[usize::from(range.start())..usize::from(range.end())]
    }

    fn with(&self, range: TextRange, new: &str) -> String {
        let mut text = self.text.to_owned();
        text.replace_range(usize::from(range.start())..usize::from(range.end()), new);
        text
    }

    /// A rule with at least so many premises and no comment.
    fn rule(&self, premises: usize) -> Option<&Clause> {
        let clause = self.clause()?;
        (clause.premises.len() >= premises && clause.arrow.is_some() && !self.text.contains('#'))
            .then_some(clause)
    }

    fn body_without_transform(&self, premises: usize) -> Option<&Clause> {
        self.rule(premises).filter(|clause| clause.transforms.is_empty())
    }

    fn literal(&self, random: &mut Random, pass: impl Fn(&Literal) -> bool) -> Option<&Literal> {
        let all: Vec<_> = self.clause()?.literals().filter(|literal| pass(literal)).collect();
        all.get(random.below(all.len())).copied()
    }

    /// The comma before a premise that is not the first.
    fn comma(&self, random: &mut Random) -> Option<TextRange> {
        let clause = self.rule(2)?;
        let at = 1 + random.below(clause.premises.len() - 1);
        let (before, after) = (clause.premises[at - 1].range().end(), clause.premises[at].range().start());
        let between = TextRange::new(before, after);
        (self.slice(between).trim() == ",").then_some(between)
    }

    /// Each variable of the clause, as often as it occurs.
    fn variables(&self) -> Vec<TextRange> {
        let mut all = Vec::new();
        let Some(clause) = self.clause() else { return all };
        let mut add =
            |term: &mangle_syntax::syntax::ast::Term| term.variables(&mut |_, range| all.push(range));
        clause.head.args.iter().for_each(&mut add);
        for premise in &clause.premises {
            match premise {
                Premise::Literal(literal) => literal.atom.args.iter().for_each(&mut add),
                Premise::Comparison(comparison) => {
                    [&comparison.left, &comparison.right].into_iter().for_each(&mut add)
                }
                Premise::Broken(..) => {}
            }
        }
        all.sort_by_key(|range| range.start());
        all
    }

    /// The clause with every variable written otherwise.
    fn renamed(&self, rename: impl Fn(&str) -> String) -> Option<String> {
        self.body_without_transform(1)?;
        let mut text = self.text.to_owned();
        let variables = self.variables();
        (!variables.is_empty()).then_some(())?;
        for range in variables.iter().rev() {
            text.replace_range(
                usize::from(range.start())..usize::from(range.end()),
                &rename(self.slice(*range)),
            );
        }
        Some(text)
    }

    fn operator(&self, random: &mut Random, from: Operator, to: &[&str]) -> Option<String> {
        let clause = self.rule(1)?;
        let comparison = clause.premises.iter().find_map(|premise| match premise {
            Premise::Comparison(comparison) if comparison.operator == from => Some(comparison),
            _ => None,
        })?;
        Some(self.with(comparison.operator_range, pick(random, to)))
    }

    /// Before the full stop.
    fn appended(&self, more: &str) -> Option<String> {
        self.body_without_transform(1)?;
        let stop = self.text.strip_suffix('.')?;
        Some(format!("{}{more}.", stop.trim_end()))
    }
}

fn pick<'a>(random: &mut Random, all: &[&'a str]) -> &'a str {
    all[random.below(all.len())]
}

fn is_plain(literal: &Literal) -> bool {
    !literal.is_negated() && !literal.is_temporal() && !literal.atom.is_builtin()
}

/// A habit: its rule, what its fix leads to, and how it is put into a statement.
type Habit = (&'static str, Fixed, fn(&Subject<'_>, &mut Random) -> Option<String>);

const HABITS: &[Habit] = &[
    ("not-keyword", Fixed::Same, |subject, random| {
        subject.rule(1)?;
        let literal = subject.literal(random, Literal::is_negated)?;
        Some(subject.with(
            literal.negation?,
            pick(random, &["not ", "\\+ ", "~", "NOT ", "Not ", "¬", "not exists "]),
        ))
    }),
    ("not-keyword", Fixed::Same, |subject, random| {
        subject.rule(1)?;
        let literal = subject.literal(random, Literal::is_negated)?;
        let atom = subject.slice(literal.atom.range);
        let sign = pick(random, &["!", "not", "not ", "\\+", "~"]);
        Some(subject.with(literal.range, &format!("{sign}({atom})")))
    }),
    ("conjunction-keyword", Fixed::Same, |subject, random| {
        let comma = subject.comma(random)?;
        let word = pick(random, &["and", "AND", "&&", "&", "∧"]);
        let text = subject.slice(comma).replacen(',', &format!(" {word}"), 1);
        Some(subject.with(comma, if text.ends_with(char::is_whitespace) { &text } else { return None }))
    }),
    ("disjunction", Fixed::Clean, |subject, random| {
        subject.body_without_transform(2)?;
        let comma = subject.comma(random)?;
        let word = pick(random, &[" ; ", " or ", " || ", " | ", " OR "]);
        Some(subject.with(comma, word))
    }),
    ("wrong-arrow", Fixed::Same, |subject, random| {
        let arrow = subject.rule(1)?.arrow?;
        let to = ["if", "<-", "<=", "←", "<==", "::=", ":=", "when", "⇐", "-->", ": -"];
        Some(subject.with(arrow, pick(random, &to)))
    }),
    ("wrong-operator", Fixed::Same, |subject, random| {
        subject.operator(random, Operator::Equal, &["==", "===", ":=", "=:=", "is"])
    }),
    ("wrong-operator", Fixed::Same, |subject, random| {
        subject.operator(random, Operator::NotEqual, &["<>", "\\=", "≠", "!==", "\\==", "=\\="])
    }),
    ("wrong-operator", Fixed::Same, |subject, random| {
        subject.operator(random, Operator::LessEqual, &["=<", "≤"])
    }),
    ("wrong-operator", Fixed::Same, |subject, random| {
        subject.operator(random, Operator::GreaterEqual, &["=>", "≥"])
    }),
    ("missing-dot", Fixed::Same, |subject, random| {
        subject.clause()?;
        let stop = subject.text.strip_suffix('.')?;
        (!stop.ends_with(|c: char| c.is_whitespace())).then(|| format!("{stop}{}", pick(random, &["", ";"])))
    }),
    ("variable-sigil", Fixed::Same, |subject, random| {
        let sigil = pick(random, &["$", "?", "@"]);
        subject.renamed(|name| format!("{sigil}{name}"))
    }),
    ("lowercase-variable", Fixed::Same, |subject, _| {
        let lower = |name: &str| format!("{}{}", name[..1].to_lowercase(), &name[1..]);
        let names: Vec<_> =
            subject.variables().iter().map(|range| subject.slice(*range).to_owned()).collect();
        let often = |name: &String| names.iter().filter(|other| other == &name).count() > 1;
        let reserved = ["not", "now", "true", "false", "null", "none", "nil"];
        let usable = |name: &String| often(name) && !reserved.contains(&lower(name).as_str());
        names.iter().all(usable).then_some(())?;
        subject.renamed(lower)
    }),
    ("wrong-comment", Fixed::Same, |subject, random| {
        let comment = pick(
            random,
            &["// a note", "% a note, it's one", "/* a note */", "/** a\n * note */", "-- a note"],
        );
        Some(format!("{comment}\n{}", subject.text))
    }),
    ("foreign-control", Fixed::Same, |subject, _| subject.appended(", !")),
    ("foreign-control", Fixed::Same, |subject, random| {
        subject.rule(1)?;
        let atom = subject.literal(random, is_plain)?.atom.range;
        let form = pick(random, &["exists(@)", "exists Y: @", "exists @", "exists Y (@)"]);
        Some(subject.with(atom, &form.replace('@', subject.slice(atom))))
    }),
    ("foreign-constant", Fixed::Same, |subject, _| subject.appended(", true")),
    ("foreign-constant", Fixed::None, |subject, random| {
        let clause = subject.clause().filter(|clause| clause.is_fact())?;
        let argument = clause.head.args.get(random.below(clause.head.args.len()))?;
        Some(subject.with(argument.range, pick(random, &["null", "nil", "None", "NULL", "undefined"])))
    }),
    ("foreign-constant", Fixed::Clean, |subject, random| {
        let clause = subject.clause().filter(|clause| clause.is_fact())?;
        let argument = clause.head.args.get(random.below(clause.head.args.len()))?;
        Some(subject.with(argument.range, pick(random, &["true", "false", "True"])))
    }),
    ("bad-name", Fixed::Same, |subject, random| {
        let name = subject.clause()?.head.name;
        let quote = pick(random, &["'", "\""]);
        let plain = name.as_str().chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        (plain && !subject.clause()?.head.args.is_empty())
            .then(|| subject.with(name.range, &format!("{quote}{}{quote}", name.as_str())))
    }),
    ("pasted-markup", Fixed::Same, |subject, random| {
        subject.clause()?;
        Some(format!("{}{}", pick(random, &["- ", "* ", "> ", "1. ", "12) "]), subject.text))
    }),
    ("pasted-markup", Fixed::Same, |subject, random| {
        let word = pick(random, &["mangle", "", "prolog", "datalog"]);
        (!subject.text.contains('`')).then(|| format!("```{word}\n{}\n```", subject.text))
    }),
    ("wrong-keyword", Fixed::Same, |subject, random| {
        let rest = subject.text.strip_prefix("Decl ")?;
        Some(format!(
            "{} {rest}",
            pick(random, &["decl", "DECL", "Declare", "declare", "@decl", "predicate"])
        ))
    }),
    ("legacy-typed-arg", Fixed::Same, |subject, random| {
        let declaration = subject.item.statement.declaration()?;
        let [row] = declaration.bounds.as_slice() else { return None };
        let known = ["/string", "/number", "/name", "/float64", "/any"];
        let types: Vec<_> = row.types.iter().map(|bound| subject.slice(bound.range)).collect();
        let names: Vec<_> = declaration.atom.args.iter().map(|name| subject.slice(name.range)).collect();
        let usable = types.len() == names.len()
            && !types.is_empty()
            && types.iter().all(|bound| known.contains(bound));
        let after = usize::from(row.range.end());
        if !usable
            || subject.text[after..].trim() != "."
            || subject.text.contains('#')
            || !declaration.descriptors.is_empty()
        {
            return None;
        }
        let form = random.below(4);
        let typed = names.iter().zip(&types).map(|(name, bound)| match form {
            0 => format!("{name}.Type<{}>", &bound[1..]),
            1 => format!("{name}: {bound}"),
            2 => format!("{name} {bound}"),
            _ => format!("{name}: {}", &bound[1..]),
        });
        Some(format!("Decl {}({}).", declaration.atom.name.as_str(), typed.collect::<Vec<_>>().join(", ")))
    }),
    ("double-comma", Fixed::Same, |subject, _| {
        let head = &subject.clause()?.head;
        let open = usize::from(head.name.range.end()) + 1;
        (!head.args.is_empty()).then(|| format!("{},{}", &subject.text[..open], &subject.text[open..]))
    }),
    ("missing-parens", Fixed::Same, |subject, random| {
        subject.rule(1)?;
        let atom = &subject.literal(random, |literal| literal.atom.args.is_empty())?.atom;
        Some(subject.with(atom.args_range(), ""))
    }),
    ("infix-arithmetic", Fixed::Same, |subject, random| {
        let call = call_of(subject, &["fn:plus", "fn:minus", "fn:mult"])?;
        let (function, arguments) = subject.slice(call).strip_suffix(')')?.split_once('(')?;
        let (left, right) = arguments.split_once(", ").filter(|(_, right)| !right.contains(['(', ',']))?;
        let sign = match function {
            "fn:plus" => "+",
            "fn:minus" => "-",
            _ => "*",
        };
        let blank = pick(random, &[" "]);
        Some(subject.with(call, &format!("{left}{blank}{sign}{blank}{right}")))
    }),
    ("missing-fn", Fixed::Same, |subject, _| {
        let call = call_of(subject, &["fn:plus", "fn:minus", "fn:mult", "fn:string:concat"])?;
        let plain = subject.slice(call).replacen("fn:string:", "", 1).replacen("fn:", "", 1);
        Some(subject.with(call, &plain))
    }),
    ("lookalike-character", Fixed::Same, |subject, random| {
        let clause = subject.clause().filter(|clause| !clause.head.args.is_empty())?;
        let text = clause.head.args.iter().find(|arg| matches!(arg.kind, TermKind::String));
        let quoted = text.map(|text| subject.slice(text.range)).filter(|text| text.starts_with('"'));
        match (random.below(3), quoted.zip(text)) {
            (0, Some((quoted, text))) => {
                Some(subject.with(text.range, &format!("\u{201c}{}\u{201d}", &quoted[1..quoted.len() - 1])))
            }
            (1, _) => Some(subject.with(clause.arrow?, ":-\u{a0}")),
            _ => Some(subject.with(subject.comma(random)?, "\u{ff0c}")),
        }
    }),
    ("foreign-literal", Fixed::Same, |subject, random| {
        let head = &subject.clause()?.head;
        let number = head.args.iter().find_map(|arg| match arg.kind {
            TermKind::Number(Some(number))
                if number >= 0 && subject.slice(arg.range) == number.to_string() =>
            {
                Some((arg.range, number))
            }
            _ => None,
        });
        let (range, number) = number?;
        Some(
            subject.with(
                range,
                &if random.below(2) == 0 { format!("0x{number:x}") } else { format!("+{number}") },
            ),
        )
    }),
    ("not-a-transform", Fixed::Same, |subject, _| {
        let transform = subject.rule(1)?.transforms.first()?;
        let rest = subject.slice(transform.range).strip_prefix("|>")?.trim_start();
        let before = subject.text[..usize::from(transform.range.start())].trim_end();
        Some(format!("{before}, {rest}{}", &subject.text[usize::from(transform.range.end())..]))
    }),
];

/// The first application of one of these functions to one side of an `=`.
fn call_of(subject: &Subject<'_>, functions: &[&str]) -> Option<TextRange> {
    subject.rule(1)?.premises.iter().find_map(|premise| {
        let Premise::Comparison(comparison) = premise else { return None };
        let apply = comparison.right.apply()?;
        functions.contains(&apply.function.as_str()).then_some(comparison.right.range)
    })
}

/// The findings of the parser with the place that they count from.
fn findings(file: &SourceFile) -> Vec<(usize, Finding)> {
    let items = file.items().iter().filter(|item| !item.follows_damage);
    let of_items = items.flat_map(|item| {
        item.statement.findings.iter().map(|finding| (usize::from(item.start), finding.clone()))
    });
    of_items.chain(file.findings().iter().map(|finding| (0, finding.clone()))).collect()
}

fn fixed(text: &str, start: usize, finding: &Finding) -> Option<String> {
    let mut edits = finding.fix.clone()?.edits;
    edits.sort_by_key(|edit| (edit.span.range.start(), edit.span.range.end()));
    let mut text = text.to_owned();
    for edit in edits.iter().rev() {
        let base = if edit.span.anchor == Anchor::File { 0 } else { start };
        let range = base + usize::from(edit.span.range.start())..base + usize::from(edit.span.range.end());
        text.replace_range(range, &edit.text);
    }
    Some(text)
}

fn digests(file: &SourceFile) -> Vec<u64> {
    file.items().iter().map(|item| item.statement.digest).collect()
}

/// What is wrong with the findings in `text`, if anything.
fn verdict(text: &str, (rule, expected, _): &Habit, before: &SourceFile) -> Result<(), String> {
    let file = SourceFile::parse(text.into());
    let found = findings(&file);
    let [(start, finding)] = found.as_slice() else {
        let all: Vec<_> = found.iter().map(|(_, finding)| (finding.rule.name, &finding.message)).collect();
        return Err(format!("{} findings: {all:#?}", found.len()));
    };
    if finding.rule.name != *rule {
        return Err(format!("{}: {}", finding.rule.name, finding.message));
    }
    if *expected == Fixed::None {
        return Ok(());
    }
    let fixed = fixed(text, *start, finding).ok_or("no fix")?;
    let after = SourceFile::parse(fixed.as_str().into());
    if !findings(&after).is_empty() {
        return Err(format!("the fix leaves {:?} in\n{fixed}", findings(&after)));
    }
    if *expected == Fixed::Same && digests(&after) != digests(before) {
        return Err(format!("the fix gives another program:\n{fixed}"));
    }
    Ok(())
}

fn try_habits(what: &str, texts: &[String]) {
    let files = texts.iter().map(|text| SourceFile::parse(text.as_str().into()));
    let files: Vec<_> = files.filter(|file| !file.items().is_empty()).collect();
    let mut wrong = Vec::new();
    let mut cases = 0;
    for (number, habit) in HABITS.iter().enumerate() {
        let mut random = Random(number as u64 + 1);
        let mut tried = 0;
        for _ in 0..CASES * 50 {
            let file = &files[random.below(files.len())];
            let (text, items) = (file.text(), file.items());
            // Some statements around it, as a file of its own: what is beside the damage must stay whole.
            let at = random.below(items.len());
            let (first, last) = (at.saturating_sub(2), (at + 2).min(items.len() - 1));
            let end = |item: &Item| usize::from(item.start + item.statement.len);
            let around = usize::from(items[first].start)..end(&items[last]);
            let range = usize::from(items[at].start)..end(&items[at]);
            let subject = Subject { text: &text[range.clone()], item: &items[at] };
            let Some(new) = habit.2(&subject, &mut random) else { continue };
            tried += 1;
            let before = SourceFile::parse(text[around.clone()].into());
            let mutated =
                format!("{}{new}{}\n", &text[around.start..range.start], &text[range.end..around.end]);
            if let Err(problem) = verdict(&mutated, habit, &before) {
                wrong.push(format!("--- {} ---\n{new}\n{problem}", habit.0));
            }
            if tried == CASES {
                break;
            }
        }
        cases += tried;
        eprintln!("{what}: {} tried {tried} times", habit.0);
    }
    assert!(wrong.is_empty(), "{what}: {} of {cases} cases:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn habits_in_the_examples() {
    let folders = ["examples/guardian", "examples/incident"].map(|folder| support::root().join(folder));
    let files =
        folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|end| end == "mg" || end == "gl")).collect();
    paths.sort();
    let texts = paths.iter().map(|path| fs::read_to_string(path).unwrap());
    let clean = |text: &String| findings(&SourceFile::parse(text.as_str().into())).is_empty();
    let texts: Vec<_> = texts.filter(clean).collect();
    assert!(texts.len() > 5, "only {} examples parse without a finding", texts.len());
    try_habits("examples", &texts);
}

#[test]
#[ignore = "needs MANGLE_LS_CORPUS"]
fn habits_in_the_corpus() {
    let texts = support::corpus_texts();
    let texts: Vec<_> = texts.iter().map(ToString::to_string).filter(|text| !text.contains('\r')).collect();
    try_habits("corpus", &texts);
}
