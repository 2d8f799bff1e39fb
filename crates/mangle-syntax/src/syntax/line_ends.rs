//! Check for lone carriage returns (line endings of old programs), which do not end a comment.

use tree_sitter::Tree;

use super::rules;
use crate::lint::{Finding, Fix};
use crate::text::{TextRange, TextSize, size};

/// Maximum number of line endings that one fix replaces.
const MAX_EDITS: usize = 5_000;

/// The finding for the first comment that continues after a lone carriage return.
pub(super) fn check(text: &str, tree: &Tree) -> Option<Finding> {
    let mut last_comment = 0..0;
    let swallowing = |at: &usize| {
        if last_comment.contains(at) {
            return false;
        }
        let node = tree.root_node().descendant_for_byte_range(*at, *at + 1);
        let Some(comment) = node.filter(|node| node.kind() == "comment") else { return false };
        last_comment = comment.byte_range();
        text.get(*at..comment.end_byte()).is_some_and(|rest| !rest.trim().is_empty())
    };
    let at = lone_returns(text).find(swallowing)?;
    let range = |at| TextRange::at(size(at), TextSize::new(1));
    let finding = Finding::new(&rules::LONE_CR, range(at), "lone carriage return does not end this comment")
        .note("the engine ignores everything up to the next line feed");
    if lone_returns(text).nth(MAX_EDITS).is_some() {
        return Some(finding);
    }
    let fix = Fix::guess("replace the lone carriage returns of the file by line feeds");
    Some(finding.fix(lone_returns(text).fold(fix, |fix, at| fix.replace(range(at), "\n"))))
}

/// The carriage returns without a line feed.
fn lone_returns(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'\r', bytes).filter(|&at| bytes.get(at + 1) != Some(&b'\n'))
}

#[cfg(test)]
mod tests {
    use crate::syntax::SourceFile;

    fn check(text: &str, places: &[u32]) {
        let source = SourceFile::parse(text.into());
        let found: Vec<u32> = source
            .findings()
            .iter()
            .filter(|finding| finding.rule.name == "lone-cr")
            .map(|finding| finding.range.start().into())
            .collect();
        assert_eq!(found, places, "{text:?}");
    }

    #[test]
    fn only_comments_that_swallow_something_are_reported() {
        check("p(1).\r# why\rq(2).\r", &[11]);
        check("# a\r# b\rp().\n# c\rq().\n", &[3]);
        check("p(1).\rq(2).\r", &[]);
        check("# a\r\np().\r\n", &[]);
        check("# a\r\r\np().\n", &[]);
        check("p(\"# a\rb\").\n", &[]);
        check("p(1). # end\r", &[]);
    }
}
