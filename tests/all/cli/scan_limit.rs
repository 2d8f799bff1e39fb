//! Folders with more than is scanned: every command that looks at them says so.

use expect_test::expect;

use super::support::check;

const LIMIT: &str = "[files]\nmax_scan_files = 2\n";

fn files() -> Vec<(&'static str, &'static str)> {
    vec![("mangle-ls.toml", LIMIT), ("a.mg", "p(1).\n"), ("b.mg", "q(1).\n"), ("c.mg", "r(1).\n")]
}

#[test]
fn check_reports_a_folder_of_which_a_part_is_scanned() {
    check(
        &files(),
        &["check"],
        expect![[r#"
            error[MG946 scan-limit]: folder holds more than 2 Mangle files, the limit of a scan
            --> .
             = note: files beyond the limit are not checked
             = help: choose a smaller folder, or raise `max_scan_files` below `[files]` in its `mangle-ls.toml`

            1 error in 2 files (2 clauses)
            exit 1
        "#]],
    );
}

#[test]
fn other_commands_fail() {
    check(
        &files(),
        &["format", "--check"],
        expect![[r#"
        error: .: it holds more than 2 Mangle files, the limit of a scan; choose a smaller folder, or raise `max_scan_files` below `[files]` in its `mangle-ls.toml`
        exit 2
    "#]],
    );
    check(
        &files(),
        &["query", "p(X)"],
        expect![[r#"
        p(1)
        error: .: it holds more than 2 Mangle files, the limit of a scan; choose a smaller folder, or raise `max_scan_files` below `[files]` in its `mangle-ls.toml`
        exit 2
    "#]],
    );
}

#[test]
fn a_higher_limit_is_enough() {
    let mut files = files();
    files[0].1 = "[files]\nmax_scan_files = 3\n";
    check(
        &files,
        &["check"],
        expect![[r#"
        No findings in 3 files (3 clauses)
        exit 0
    "#]],
    );
}
