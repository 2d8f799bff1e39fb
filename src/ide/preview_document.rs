//! A prompt as a document: its text, which of its lines come from where, and its sections as folds. And what stands above
//! the comments that ask for prompts.
//!
//! Takes what a preview shows; gives ranges of the text and places of files, for an editor to go back and forth.

use agent_prompt::{Common, Header, OriginPlace, PreviewedPrompt};
use mangle_engine::program::FileSummary;
use mangle_syntax::syntax::ast::{Clause, Item, Term, TermKind};
use mangle_syntax::syntax::literal;
use mangle_syntax::text::{TextRange, slice, text_len};

/// A prompt as a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromptDocument {
    pub text: String,
    /// Its lines, as far as what they come from can be opened.
    pub origins: Vec<PromptOrigin>,
    /// The ranges of its sections that have more than one line, each with what the section is called.
    pub sections: Vec<(TextRange, String)>,
}

/// Where a line comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptOrigin {
    /// The line, without its line end.
    pub range: TextRange,
    /// Where its words are.
    pub place: OriginPlace,
    /// What it is there: `fact`, `derived`, `session`, …
    pub kind: &'static str,
}

/// Lays out a prompt.
#[must_use]
pub fn prompt_document(common: &Common, shown: &PreviewedPrompt) -> PromptDocument {
    let mut document = PromptDocument::default();
    for section in &shown.prompt.sections {
        let start = text_len(&document.text);
        for line in &section.lines {
            let range = TextRange::at(text_len(&document.text), text_len(&line.text));
            if let Some(place) = common.place(shown, &line.origin) {
                document.origins.push(PromptOrigin { range, place, kind: line.origin.kind() });
            }
            document.text.push_str(&line.text);
            document.text.push('\n');
        }
        let end = text_len(document.text.trim_end_matches('\n')).max(start);
        let range = TextRange::new(start, end);
        if slice(&document.text, range).contains('\n') {
            document.sections.push((range, section.kind.as_str().to_owned()));
        }
    }
    document
}

/// A line above a comment that asks for a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewLens {
    pub range: TextRange,
    /// What the preview is called.
    pub name: String,
    /// The id of its shard, and its type.
    pub shard: (String, String),
}

/// The previews that the comments at the top of a file ask for; `stem` is what one is called that has no name.
#[must_use]
pub fn preview_lenses(text: &str, stem: &str) -> Vec<PreviewLens> {
    if !text.contains("@preview") {
        return Vec::new();
    }
    let groups = Header::read(text).groups.into_iter().filter(|group| group.shard.is_some());
    let lens = |group: agent_prompt::PreviewGroup| {
        let name = if group.name.is_empty() { stem.to_owned() } else { group.name };
        let shard = group.shard.map(|(id, kind)| (id.text, kind.text)).unwrap_or_default();
        PreviewLens { range: group.range, name, shard }
    };
    groups.map(lens).collect()
}

/// A line above a fact that tells of a shard or of its template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardLens {
    /// The name of the predicate in the fact.
    pub range: TextRange,
    /// The index of the kernel whose preview is shown.
    pub kernel: usize,
    /// What the preview is called.
    pub name: String,
    /// The shard that it is shown for, its id and its type; `None` for its own.
    pub shard: Option<(String, String)>,
    /// For whom, in words.
    pub title: String,
}

/// How many prompts are offered above a fact.
const MOST_OFFERED: usize = 3;

/// What stands above facts of a file that name a shard (`active_shard`) or give the template of its type
/// (`shard_prompt_base`). `kernels`: the previews that each sample kernel of the file asks for.
#[must_use]
pub fn shard_lenses(file: &FileSummary, kernels: &[Vec<PreviewLens>]) -> Vec<ShardLens> {
    let asked: Vec<(usize, &PreviewLens)> =
        kernels.iter().enumerate().flat_map(|(at, all)| all.iter().map(move |one| (at, one))).collect();
    let mut found = Vec::new();
    if asked.is_empty() {
        return found;
    }
    let facts = file.items.iter().filter(|item| !item.statement.damaged);
    for (item, clause) in facts.filter_map(|item| Some((item, item.statement.clause()?))) {
        let Head { name, args } = Head::of(file, item, clause);
        let range = clause.head.name.range + item.start;
        match (name, args.as_slice()) {
            ("active_shard", [Some(id), Some(kind)]) if clause.is_fact() => {
                found.extend(of_shard(range, &asked, id, kind.trim_start_matches('/')));
            }
            ("shard_prompt_base", [Some(kind), ..]) if clause.is_fact() => {
                let kind = kind.strip_prefix('/').unwrap_or(kind);
                let of_type = asked.iter().filter(|(_, one)| one.shard.1 == kind).take(MOST_OFFERED);
                found.extend(of_type.map(|(kernel, one)| ShardLens {
                    range,
                    kernel: *kernel,
                    name: one.name.clone(),
                    shard: None,
                    title: one.name.clone(),
                }));
            }
            _ => {}
        }
    }
    found
}

/// The prompt of a shard: the one that a kernel asks for, else the first one made for it.
fn of_shard(range: TextRange, asked: &[(usize, &PreviewLens)], id: &str, kind: &str) -> Option<ShardLens> {
    let own = asked.iter().find(|(_, one)| one.shard.0 == id);
    let (kernel, one) = own.or(asked.first())?;
    let shard = own.is_none().then(|| (id.to_owned(), kind.to_owned()));
    Some(ShardLens { range, kernel: *kernel, name: one.name.clone(), shard, title: id.to_owned() })
}

/// The head of a clause: its name, and its arguments as far as they are names or strings.
struct Head<'c> {
    name: &'c str,
    args: Vec<Option<String>>,
}

impl<'c> Head<'c> {
    fn of(file: &FileSummary, item: &Item, clause: &'c Clause) -> Self {
        let constant = |term: &Term| match term.kind {
            TermKind::Name(name) => Some(name.as_str().to_owned()),
            TermKind::String => {
                let source = slice(file.statement_text(item), term.range);
                literal::string_value(source).map(Into::into)
            }
            _ => None,
        };
        Self { name: clause.head.name.symbol.as_str(), args: clause.head.args.iter().map(constant).collect() }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fmt::Write as _;

    use expect_test::expect;

    use super::*;
    use mangle_syntax::syntax::SourceFile;
    use mangle_syntax::text::FileId;

    #[test]
    fn shards_and_templates_have_lenses() {
        let kernel = "# @preview name: fix\n# @preview shard: coder-7 coder\n# @preview name: test\n\
                      # @preview shard: t-1 tester\n";
        let kernels = [preview_lenses(kernel, "x")];
        let text = "active_shard(\"coder-7\", /coder).\nactive_shard(\"coder-9\", /coder).\n\
                    shard_prompt_base(/tester, \"You test.\").\nshard_prompt_base(/nobody, \"?\").\n\
                    active_shard(S, /x) :- other(S).\n";
        let file = FileSummary::new(FileId(0), &SourceFile::parse(text.into()));
        let mut out = String::new();
        for lens in shard_lenses(&file, &kernels) {
            let shard = lens.shard.map(|(id, kind)| format!(" for {id} {kind}")).unwrap_or_default();
            let at = usize::from(lens.range.start());
            writeln!(out, "{} {}: {}{shard}", text[..at].lines().count(), lens.title, lens.name).unwrap();
        }
        expect![[r#"
            0 coder-7: fix
            1 coder-9: fix for coder-9 coder
            2 test: test
        "#]]
        .assert_eq(&out);
        assert!(shard_lenses(&file, &[]).is_empty());
    }
}
