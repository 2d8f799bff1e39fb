//! Each mistake that `tests/slugs.md` names has a rule of that name.

use crate::support;

use std::fs;

use mangle_ide::registry::find;

#[test]
fn every_slug_has_a_rule() {
    let text = fs::read_to_string(support::root().join("tests/slugs.md")).unwrap();
    let built = text.split("\n## ").find(|section| section.starts_with("Built")).unwrap();
    let cells = built.lines().filter(|line| line.starts_with('|')).filter_map(|line| line.split('|').nth(2));
    let slugs: Vec<_> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    assert!(slugs.len() > 150, "only {} names were found", slugs.len());
    let missing: Vec<_> = slugs.into_iter().filter(|slug| find(slug).is_none()).collect();
    assert!(missing.is_empty(), "no rule for {missing:?}");
}
