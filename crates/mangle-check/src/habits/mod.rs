//! Test suites of habits from other languages: typical snippets of newcomers with their findings,
//! and invariants of the fixes.
//!
//! Each suite is a Markdown file. A heading names the habit, a `mangle` block is the program, and
//! the `text` block after it contains the findings. `UPDATE_EXPECT=1` rewrites the findings.

#![allow(clippy::unwrap_used)]

mod invariants;
mod suite;

use expect_test::expect_file;

use self::suite::Suite;

macro_rules! suite {
    ($name:ident) => {
        #[test]
        fn $name() {
            let path = concat!(stringify!($name), ".md");
            let suite = Suite::parse(include_str!(concat!(stringify!($name), ".md")));
            assert!(suite.habits.len() >= 12, "{path} has only {} habits", suite.habits.len());
            expect_file![path].assert_eq(&suite.render());
        }
    };
}

suite!(rego);
suite!(sql);
suite!(prolog);
suite!(cedar);
suite!(python);

const SUITES: [&str; 5] = [
    include_str!("rego.md"),
    include_str!("sql.md"),
    include_str!("prolog.md"),
    include_str!("cedar.md"),
    include_str!("python.md"),
];
