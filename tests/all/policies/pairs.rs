//! `tests/language/pairs.md` has, for each kind of mistake, the mistake and its correction: the
//! mistake is marked with its own rule and nothing else, the correction with nothing. That the marks
//! are true is what `tests/all/policies/language.rs` sees to.

use crate::support;

use std::fs;

use mangle_ide::registry::find;

#[test]
fn each_mistake_has_its_correction() {
    let text = fs::read_to_string(support::root().join("tests/language/pairs.md")).unwrap();
    let sections: Vec<_> = text.split("\n## ").skip(1).collect();
    assert_eq!(sections.len(), 56);
    for section in sections {
        let name = section.lines().next().unwrap();
        assert!(find(name).is_some(), "no rule is called {name}");
        let blocks: Vec<_> = section.split("```mangle\n").skip(1).collect();
        let [mistake, correction] = blocks.as_slice() else { panic!("{name} is no pair") };
        let marks: Vec<_> = mistake.split(": [").skip(1).filter_map(|rest| rest.split(']').next()).collect();
        assert!(!marks.is_empty() && marks.iter().all(|mark| *mark == name), "{name}: {marks:?}");
        assert!(!correction.contains(": ["), "{name}: its correction is marked");
    }
}
