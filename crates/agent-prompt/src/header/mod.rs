//! Parser for `# @preview` comments at the top of a sample kernel. They declare the previews to
//! render.
//!
//! ```mangle
//! # @preview use: ../schemas.gl, ../policy/*.mg  # Before `name:`, settings apply to all groups.
//! # @preview name: fix-auth
//! # @preview shard: coder-7 coder
//! # @preview intent: i1 /mutation /fix "auth.go" "no new deps"
//! # @preview session: fix-auth.session.yaml
//! # @preview mode: legacy
//! # @preview captured: traces.jsonl                # A captured prompt for comparison.
//! ```
//!
//! Comments after the first statement are ignored.

mod setting;

use super::names::{near_key, quoted};
use super::origin::SourcedText;
use super::rules::header_rules::{PREVIEW_INCOMPLETE, PREVIEW_KEY};
use super::sections::Mode;
use super::session::Intent;
use mangle_syntax::lint::{Finding, Fix, Severity};
use mangle_syntax::text::TextRange;
use setting::{comment, header_lines, list, misplaced_settings, mode, words};

pub use setting::PreviewSetting;

/// The keys of `# @preview` comments.
pub const KEYS: [&str; 7] = ["name", "shard", "intent", "use", "session", "mode", "captured"];

/// Common wrong keys with the correct keys.
const SYNONYMS: &[(&str, &str)] = &[
    ("agent", "shard"),
    ("for", "shard"),
    ("include", "use"),
    ("import", "use"),
    ("policy", "use"),
    ("policies", "use"),
    ("files", "use"),
    ("title", "name"),
    ("id", "name"),
    ("capture", "captured"),
    ("transcript", "captured"),
    ("compare", "captured"),
    ("atoms", "mode"),
];

/// The previews that a sample kernel declares.
#[derive(Debug, Clone, Default)]
pub struct Header {
    /// One group for each `name:`. Without a `name:`, one group for all settings; empty without
    /// settings.
    pub groups: Vec<PreviewGroup>,
    /// Findings about the comments. Ranges count from the start of the file.
    pub findings: Vec<Finding>,
}

/// A declared preview.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PreviewGroup {
    /// The name; empty if not given.
    pub name: String,
    /// The comment that opens the group.
    pub range: TextRange,
    /// The id and the type of the shard.
    pub shard: Option<(SourcedText, SourcedText)>,
    /// The user's intent.
    pub intent: Option<Intent>,
    /// Paths and globs of the policy files of the kernel, relative to its folder.
    pub uses: Vec<SourcedText>,
    /// The session file, relative to the folder of the kernel.
    pub session: Option<SourcedText>,
    /// The assembly mode with its location.
    pub mode: Option<(Mode, TextRange)>,
    /// The folder with prompt atoms, relative to the folder of the kernel.
    pub atoms: Option<SourcedText>,
    /// The file with a captured prompt, relative to the folder of the kernel.
    pub captured: Option<SourcedText>,
}

impl Header {
    /// Parses the header of a file.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let (mut header, mut common) = (Self::default(), PreviewGroup::default());
        let (mut is_named, mut has_any) = (false, false);
        let mut seen: Vec<&str> = Vec::new();
        for (line, start) in header_lines(text) {
            let Some(comment) = comment(line, start) else { continue };
            if !has_any {
                common.range = comment.range;
            }
            has_any = true;
            if comment.key == "name" {
                is_named = true;
                seen.clear();
                header.open(&comment, &common);
                continue;
            }
            header.findings.extend(repeated(&comment, &mut seen));
            let group = if is_named { header.groups.last_mut() } else { None };
            let finding = set(group.unwrap_or(&mut common), &comment);
            header.findings.extend(finding);
        }
        if has_any && !is_named {
            header.groups.push(common);
        }
        header.findings.extend(misplaced_settings(text).map(|range| {
            Finding::new(&PREVIEW_KEY, range, "`# @preview` comment is below the first statement")
                .note(IGNORED)
                .help("move it to the top of the file")
        }));
        // A kernel with only `use:` is a sample and requests no preview.
        let asks = |group: &&PreviewGroup| {
            is_named || group.intent.is_some() || group.session.is_some() || group.mode.is_some()
        };
        let incomplete =
            header.groups.iter().filter(|group| group.shard.is_none()).filter(asks).map(incomplete);
        let incomplete: Vec<_> = incomplete.collect();
        header.findings.extend(incomplete);
        header
    }

    fn open(&mut self, comment: &PreviewSetting<'_>, common: &PreviewGroup) {
        let name = comment.value;
        if name.is_empty() || self.groups.iter().any(|group| group.name == name) {
            let found = |message: String| Finding::new(&PREVIEW_KEY, comment.range, message);
            self.findings.push(if name.is_empty() {
                found("preview has no name".to_owned()).help("write `# @preview name: fix-auth`")
            } else {
                found(format!("duplicate preview name {}", quoted(name)))
                    .note("`--name` cannot select one of the two previews")
            });
        }
        self.groups.push(PreviewGroup { name: name.to_owned(), range: comment.range, ..common.clone() });
    }

    /// The distinct paths and globs of all groups. `None` if no group has a `use:`.
    #[must_use]
    pub fn uses(&self) -> Option<Vec<&str>> {
        let mut all: Option<Vec<&str>> = None;
        for group in &self.groups {
            for used in &group.uses {
                let all = all.get_or_insert_default();
                if !used.is_empty() && !all.contains(&used.as_str()) {
                    all.push(used.as_str());
                }
                // An empty `use:` means no files.
            }
        }
        all
    }
}

const IGNORED: &str = "the comment is ignored";

/// Applies a setting to a group. Returns a finding if the setting is invalid.
fn set(group: &mut PreviewGroup, comment: &PreviewSetting<'_>) -> Option<Finding> {
    let wrong = |message: &str, form: &str| {
        let range = if comment.value.is_empty() { comment.range } else { comment.value_range };
        let finding = Finding::new(&PREVIEW_KEY, range, message).note(IGNORED);
        Some(finding.help(format!("write `# @preview {form}`")))
    };
    match comment.key {
        "shard" => match words(comment.value, comment.value_range.start()).as_deref() {
            Ok([id, kind]) => group.shard = Some((id.clone(), kind.clone())),
            _ => {
                return wrong("shard is not an id and a type", "shard: coder-7 coder");
            }
        },
        "intent" => match words(comment.value, comment.value_range.start()).as_deref() {
            Ok([id, category, verb, target, rest @ ..]) if rest.len() <= 1 => {
                group.intent = Some(Intent {
                    id: id.clone(),
                    category: category.clone(),
                    verb: verb.clone(),
                    target: target.clone(),
                    constraint: rest.first().cloned().unwrap_or_default(),
                });
            }
            _ => {
                let finding = wrong(
                    "intent is not id, category, verb and target",
                    "intent: i1 /mutation /fix \"auth.go\" \"no new deps\"",
                );
                return finding.map(|finding| finding.note("a constraint may follow the target"));
            }
        },
        "use" => group.uses.extend(list(comment)),
        "session" if !comment.value.is_empty() => {
            group.session = Some(SourcedText::in_header(comment.value, comment.value_range));
        }
        "session" => {
            return wrong("path of the session file is missing", "session: NAME.session.yaml");
        }
        "captured" if !comment.value.is_empty() => {
            group.captured = Some(SourcedText::in_header(comment.value, comment.value_range));
        }
        "captured" => {
            return wrong("path of the captured prompt is missing", "captured: traces.jsonl");
        }
        "mode" => match mode(comment) {
            Some((mode, atoms)) => {
                group.mode = Some((mode, comment.value_range));
                group.atoms = atoms.or(group.atoms.take());
            }
            None => {
                let range = if comment.value.is_empty() { comment.range } else { comment.value_range };
                let message = format!("unknown mode {}", quoted(comment.value));
                let finding = Finding::new(&PREVIEW_KEY, range, message).note(IGNORED).note(
                    "the modes are `legacy`, `section`, `jit` and, with prompt atoms, `jit(atoms=FOLDER)`",
                );
                return Some(finding);
            }
        },
        key => return Some(unknown(key, comment)),
    }
    None
}

/// Reports a duplicate setting in one preview. Only `use` can occur several times.
fn repeated<'t>(comment: &PreviewSetting<'t>, seen: &mut Vec<&'t str>) -> Option<Finding> {
    let is_again = comment.key != "use" && KEYS.contains(&comment.key) && seen.contains(&comment.key);
    seen.push(comment.key);
    let message = || format!("duplicate key `{}:` in this preview", comment.key);
    is_again.then(|| Finding::new(&PREVIEW_KEY, comment.range, message()).note("the last one counts"))
}

fn unknown(key: &str, comment: &PreviewSetting<'_>) -> Finding {
    let keys = KEYS.map(|key| format!("`{key}:`")).join(", ");
    let range = if key.is_empty() { comment.range } else { comment.key_range };
    let message = match key {
        "" => "`# @preview` comment has no key".to_owned(),
        key => format!("unknown preview key {}", quoted(key)),
    };
    let finding =
        Finding::new(&PREVIEW_KEY, range, message).note(IGNORED).note(format!("the keys are {keys}"));
    match near_key(key, &KEYS, SYNONYMS) {
        Some(near) => finding
            .help(format!("did you mean `{near}`?"))
            .fix(Fix::guess(format!("write `{near}`")).replace(range, near)),
        None => finding,
    }
}

fn incomplete(group: &PreviewGroup) -> Finding {
    let message = match group.name.as_str() {
        "" => "preview has no shard".to_owned(),
        name => format!("preview {} has no shard", quoted(name)),
    };
    Finding::new(&PREVIEW_INCOMPLETE, group.range, message)
        .severity(Severity::Error)
        .note("a prompt is made for one shard, so nothing is shown")
        .help("add `# @preview shard: coder-7 coder`, with id and type")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use expect_test::{Expect, expect};

    use super::*;
    use mangle_syntax::text::slice;

    fn check(text: &str, expected: Expect) -> Header {
        let header = Header::read(text);
        let mut shown = String::new();
        for group in &header.groups {
            let shard = group.shard.as_ref().map(|(id, kind)| format!("{} {}", id.text, kind.text));
            let intent = group
                .intent
                .as_ref()
                .map(|intent| format!("{}|{}", intent.target.text, intent.constraint.text));
            let uses: Vec<_> = group.uses.iter().map(|used| slice(text, used.range)).collect();
            let session = group.session.as_ref().map(|session| slice(text, session.range));
            let atoms = group.atoms.as_ref().map(|atoms| slice(text, atoms.range));
            let mode = group.mode.map(|(mode, _)| mode.as_str());
            shown.push_str(&format!(
                "{:?} {shard:?} {intent:?} {uses:?} {session:?} {mode:?} {atoms:?}\n",
                group.name
            ));
        }
        for finding in &header.findings {
            shown.push_str(&format!(
                "{:?}: {}\n",
                slice(text, finding.range),
                crate::testing::words_of(finding)
            ));
        }
        expected.assert_eq(&shown);
        header
    }

    #[test]
    fn groups_take_what_stands_before_the_first() {
        check(
            "# A sample.\n# @preview use: ../a.gl, b/*.mg\n# @preview mode: jit( atoms = ../atoms )\n\n\
             # @preview name: one\n#@preview shard: coder-7 coder\n# @preview name: two\n\
             # @preview shard: \"my shard-2\" tester\n# @preview intent: i1 /mutation /fix \"a b.go\" \"no \\\"new\\\" deps\"\n\
             # @preview session: x.session.yaml\n# @preview mode: section\np(1).\n# @preview name: late\n",
            expect![[r##"
                "one" Some("coder-7 coder") None ["../a.gl", "b/*.mg"] None Some("jit") Some("../atoms")
                "two" Some("my shard-2 tester") Some("a b.go|no \"new\" deps") ["../a.gl", "b/*.mg"] Some("x.session.yaml") Some("section") Some("../atoms")
                "# @preview name: late": `# @preview` comment is below the first statement | the comment is ignored | help: move it to the top of the file
            "##]],
        );
        check(
            "p(1).\n# @preview name: x\n",
            expect![[r##"
                "# @preview name: x": `# @preview` comment is below the first statement | the comment is ignored | help: move it to the top of the file
            "##]],
        );
        assert_eq!(Header::read("# @preview use: a.mg\np(1).\n").findings.len(), 0);
        check(
            "# @preview shard: coder-7 coder\n",
            expect![[r#"
            "" Some("coder-7 coder") None [] None None None
        "#]],
        );
    }

    #[test]
    fn settings_that_are_not_used_are_reported() {
        check(
            "# @preview: shard: coder-7 coder\n# @preview use: a.mg\n# @preview use: b.mg\n# @preview mode: jit\n\
             # @preview mode: legacy(atoms=atoms)\n# @preview agent: x y\n# @preview policies: x\n# @preview name: own\n\
             # @preview shard: tester-1 tester\n# @preview shard: tester-2 tester\n",
            expect![[r##"
                "own" Some("tester-2 tester") None ["a.mg", "b.mg"] None Some("legacy") Some("atoms")
                "# @preview mode: legacy(atoms=atoms)": duplicate key `mode:` in this preview | the last one counts
                "agent": unknown preview key `agent` | the comment is ignored | the keys are `name:`, `shard:`, `intent:`, `use:`, `session:`, `mode:`, `captured:` | help: did you mean `shard`?
                "policies": unknown preview key `policies` | the comment is ignored | the keys are `name:`, `shard:`, `intent:`, `use:`, `session:`, `mode:`, `captured:` | help: did you mean `use`?
                "# @preview shard: tester-2 tester": duplicate key `shard:` in this preview | the last one counts
            "##]],
        );
    }

    #[test]
    fn mistakes_are_told() {
        check(
            "# @preview name:\n# @preview shard: coder\n# @preview sesion: x\n# @preview mode: fast\n# @preview\n\
             # @preview intent: a b\n# @preview session:\n# @preview name: a\n# @preview name: a\n# @previewed: no\n",
            expect![[r##"
                "" None None [] None None None
                "a" None None [] None None None
                "a" None None [] None None None
                "# @preview name:": preview has no name | help: write `# @preview name: fix-auth`
                "coder": shard is not an id and a type | the comment is ignored | help: write `# @preview shard: coder-7 coder`
                "sesion": unknown preview key `sesion` | the comment is ignored | the keys are `name:`, `shard:`, `intent:`, `use:`, `session:`, `mode:`, `captured:` | help: did you mean `session`?
                "fast": unknown mode `fast` | the comment is ignored | the modes are `legacy`, `section`, `jit` and, with prompt atoms, `jit(atoms=FOLDER)`
                "# @preview": `# @preview` comment has no key | the comment is ignored | the keys are `name:`, `shard:`, `intent:`, `use:`, `session:`, `mode:`, `captured:`
                "a b": intent is not id, category, verb and target | the comment is ignored | a constraint may follow the target | help: write `# @preview intent: i1 /mutation /fix "auth.go" "no new deps"`
                "# @preview session:": path of the session file is missing | the comment is ignored | help: write `# @preview session: NAME.session.yaml`
                "# @preview name: a": duplicate preview name `a` | `--name` cannot select one of the two previews
                "# @preview name:": preview has no shard | a prompt is made for one shard, so nothing is shown | help: add `# @preview shard: coder-7 coder`, with id and type
                "# @preview name: a": preview `a` has no shard | a prompt is made for one shard, so nothing is shown | help: add `# @preview shard: coder-7 coder`, with id and type
                "# @preview name: a": preview `a` has no shard | a prompt is made for one shard, so nothing is shown | help: add `# @preview shard: coder-7 coder`, with id and type
            "##]],
        );
    }
}
