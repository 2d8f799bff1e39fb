//! Folders with more than is scanned: every command that looks at them says so.

use expect_test::expect;

use super::support::check;

const LIMIT: &str = "[files]\nmax_scan_files = 2\n";

fn files() -> Vec<(&'static str, &'static str)> {
    vec![("mangle-ls.toml", LIMIT), ("a.mg", "p(1).\n"), ("b.mg", "q(1).\n"), ("c.mg", "r(1).\n")]
}

#[test]
fn check_reports_a_folder_of_which_a_part_is_scanned() {
    check(&files(), &["check"], expect![[""]]);
}

#[test]
fn other_commands_fail() {
    check(&files(), &["fmt", "--check"], expect![[""]]);
    check(&files(), &["query", "p(X)"], expect![[""]]);
    check(&files(), &["graph"], expect![[""]]);
}

#[test]
fn a_higher_limit_is_enough() {
    let mut files = files();
    files[0].1 = "[files]\nmax_scan_files = 3\n";
    check(&files, &["check"], expect![[""]]);
}
