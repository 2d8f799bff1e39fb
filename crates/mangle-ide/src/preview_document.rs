//! Virtual document of a prompt, with the origin of each line and the sections as folds. Also
//! computes code lenses for previews.
//!
//! The input is a previewed prompt; the output contains ranges of its text and locations in files,
//! for navigation.

use agent_prompt::{Header, OriginPlace, PreviewState, PreviewedPrompt};
use mangle_engine::program::FileSummary;
use mangle_syntax::syntax::ast::{Clause, Item, Term, TermKind};
use mangle_syntax::syntax::literal;
use mangle_syntax::text::{TextRange, slice, text_len};

/// Text of a prompt with origins and sections.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromptDocument {
    pub text: String,
    /// Origins of the lines, if they have a location.
    pub origins: Vec<PromptOrigin>,
    /// Range and name of each section with more than one line.
    pub sections: Vec<(TextRange, String)>,
}

/// Origin of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptOrigin {
    /// Range of the line without its line ending.
    pub range: TextRange,
    /// Location of the source text.
    pub place: OriginPlace,
    /// Kind of origin, for example `fact`, `derived` or `session`.
    pub kind: &'static str,
}

/// Renders a prompt as a document.
#[must_use]
pub fn prompt_document(common: &PreviewState, shown: &PreviewedPrompt) -> PromptDocument {
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

/// Code lens above a preview comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewLens {
    pub range: TextRange,
    /// Name of the preview.
    pub name: String,
    /// ID and type of the shard.
    pub shard: (String, String),
}

/// Returns the previews in the header of a file. `stem` is the name of an unnamed preview.
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

/// Code lens above a fact about a shard or its template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardLens {
    /// Range of the predicate name in the fact.
    pub range: TextRange,
    /// Index of the kernel that defines the preview.
    pub kernel: usize,
    /// Name of the preview.
    pub name: String,
    /// ID and type of the shard to preview. `None` for the shard of the preview.
    pub shard: Option<(String, String)>,
    /// Title of the lens.
    pub title: String,
}

/// Maximum number of prompts offered above a fact.
const MAX_OFFERED: usize = 3;

/// Returns lenses above `active_shard` facts (the shard) and `shard_prompt_base` facts (the
/// template of a shard type). `kernels` contains the previews of each sample kernel of the file.
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
        let Head { name, args } = Head::from_clause(file, item, clause);
        let range = clause.head.name.range + item.start;
        match (name, args.as_slice()) {
            ("active_shard", [Some(id), Some(kind)]) if clause.is_fact() => {
                found.extend(of_shard(range, &asked, id, kind.trim_start_matches('/')));
            }
            ("shard_prompt_base", [Some(kind), ..]) if clause.is_fact() => {
                let kind = kind.strip_prefix('/').unwrap_or(kind);
                let of_type = asked.iter().filter(|(_, one)| one.shard.1 == kind).take(MAX_OFFERED);
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

/// Returns the lens of a shard: the preview for this shard, otherwise the first preview, rendered
/// for this shard.
fn of_shard(range: TextRange, asked: &[(usize, &PreviewLens)], id: &str, kind: &str) -> Option<ShardLens> {
    let own = asked.iter().find(|(_, one)| one.shard.0 == id);
    let (kernel, one) = own.or(asked.first())?;
    let shard = own.is_none().then(|| (id.to_owned(), kind.to_owned()));
    Some(ShardLens { range, kernel: *kernel, name: one.name.clone(), shard, title: id.to_owned() })
}

/// Head of a clause: the name, and the values of name and string arguments.
struct Head<'c> {
    name: &'c str,
    args: Vec<Option<String>>,
}

impl<'c> Head<'c> {
    fn from_clause(file: &FileSummary, item: &Item, clause: &'c Clause) -> Self {
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
