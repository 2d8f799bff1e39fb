//! Injected atoms: one for context, one for specialist knowledge.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::super::derived_context::DerivedContext;
use super::super::wording::Wording;
use super::atom::{AtomKind, AtomText, PromptAtom, Word};
use super::category::Category;
use mangle_syntax::text::TextRange;

/// An injected atom with the origin of each of its lines.
pub(super) type InjectedAtom<T> = (PromptAtom, Vec<Option<T>>);

/// A text with its origin.
pub(super) type InjectedText<T> = (String, T);

/// True if a fact applies to a shard: the wildcard, the name or the instance. Blanks and one
/// leading `/` are ignored.
pub(crate) fn is_for(shard: &str, derived: &DerivedContext) -> bool {
    let shard = shard.trim();
    let bare = shard.strip_prefix('/').unwrap_or(shard);
    !shard.is_empty()
        && (matches!(shard, "*" | "/_all")
            || bare == derived.shard_id
            || (!derived.instance.is_empty() && bare == derived.instance))
}

/// The atom of the injected context; `None` without texts.
pub(super) fn context<T: Clone>(
    texts: &[InjectedText<T>],
    derived: &DerivedContext,
    wording: Wording<'_>,
) -> Option<InjectedAtom<T>> {
    if texts.is_empty() {
        return None;
    }
    let (mut content, mut origins) = title(wording, "context.compiled");
    for (text, origin) in texts {
        let entry = wording.sentence("context.entry", &[("value", text)]);
        origins.extend(entry.split('\n').map(|_| Some(origin.clone())));
        content.push_str(&entry);
        content.push('\n');
    }
    origins.push(None);
    Some((atom(Category::Context, 95, &content, derived), origins))
}

/// The atom of the injected knowledge; `None` without blocks. Each block has a topic and a text
/// with their origins.
pub(super) fn knowledge<T: Clone>(
    blocks: &[(InjectedText<T>, InjectedText<T>)],
    derived: &DerivedContext,
    wording: Wording<'_>,
) -> Option<InjectedAtom<T>> {
    if blocks.is_empty() {
        return None;
    }
    let (mut content, mut origins) = title(wording, "knowledge.compiled");
    for ((topic, named), (text, said)) in blocks {
        let topic = wording.sentence("knowledge.topic", &[("value", topic)]);
        let block = format!("{topic}\n{text}\n");
        origins.extend(topic.split('\n').map(|_| Some(named.clone())));
        origins.extend(text.split('\n').map(|_| Some(said.clone())));
        origins.push(None);
        content.push_str(&block);
        content.push('\n');
    }
    // The runtime trims line ends at the end.
    let content = content.trim_end_matches('\n');
    origins.truncate(content.split('\n').count());
    Some((atom(Category::Knowledge, 90, content, derived), origins))
}

/// The lines of a title, without an origin.
fn title<T: Clone>(wording: Wording<'_>, name: &str) -> (String, Vec<Option<T>>) {
    let text = wording.text(name);
    if text.is_empty() {
        return (String::new(), Vec::new());
    }
    (format!("{text}\n"), vec![None; text.split('\n').count()])
}

fn atom(category: Category, priority: i64, content: &str, derived: &DerivedContext) -> PromptAtom {
    let digest = Sha256::digest(content.as_bytes());
    let hash: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let content = AtomText { text: Arc::from(content), file: None, lines: Vec::new() };
    let mut selectors: [Vec<Word>; 11] = Default::default();
    // The runtime uses the name in place of the type. If they differ, injected atoms are blocked.
    selectors[super::atom::Dimension::ShardTypes as usize] =
        vec![Word { text: derived.shard_id.clone(), range: TextRange::default() }];
    PromptAtom {
        id: Word { text: format!("kernel/{}/{hash}", category.as_str()), range: TextRange::default() },
        category,
        kind: AtomKind::Kernel,
        agent: None,
        file: None,
        range: TextRange::default(),
        tokens: content.tokens(),
        content,
        concise: None,
        min: None,
        priority,
        is_mandatory: true,
        exclusive: None,
        depends_on: Vec::new(),
        conflicts_with: Vec::new(),
        selectors,
    }
}
