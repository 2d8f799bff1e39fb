//! What a configuration does to a check.

use expect_test::expect;

use super::config_show::PROJECT;
use super::support::{GOOD, check, check_in, folder_of_bytes};

#[test]
fn a_project_for_another_version() {
    check(
        &[("mangle-ls.toml", "required_version = '>=99'\ncolour = 1\n"), ("a.mg", GOOD)],
        &["check"],
        expect![[r#"
            error[MG920 required-version]: project requires mangle-ls >=99, this is 0.1.0
             --> mangle-ls.toml:1:21
              |
            1 | required_version = '>=99'
              |                     ^^^^
              |
              = note: its settings and rules may differ from those of this version
              = help: install a version that fits, or change `required_version`

            1 error in 1 file (1 clause)
            error: mangle-ls.toml: it asks for another version of mangle-ls
            exit 2
        "#]],
    );
}

#[test]
fn a_configuration_that_is_no_text() {
    check_in(
        &folder_of_bytes(&[("mangle-ls.toml", b"fail_on = '\xff'\n"), ("a.mg", GOOD.as_bytes())]),
        &["check"],
        expect![[r#"
            error[MG901 config-syntax]: file is not UTF-8, which TOML requires
             --> mangle-ls.toml:1:12
              |
            1 | fail_on = '␚'
              |            ^
              |
              = note: the whole file is ignored

            1 error in 1 file (1 clause)
            error: the settings cannot be used
              mangle-ls.toml:1:12: file is not UTF-8, which TOML requires (MG901)
            exit 2
        "#]],
    );
}

#[test]
fn patterns_that_match_nothing() {
    check(
        &[
            (
                "mangle-ls.toml",
                "[[program]]\ninclude = ['a.mg', 'b.mg', '**/*.gl']\nhybrid = ['b.mg', 'a.mg']\n",
            ),
            ("a.mg", GOOD),
        ],
        &["check"],
        expect![[r#"
            warning[MG921 unmatched-pattern]: `b.mg` in `include` matches no file
             --> mangle-ls.toml:2:21
              |
            2 | include = ['a.mg', 'b.mg', '**/*.gl']
              |                     ^^^^
              |
              = note: patterns are relative to the folder of this file
              = note: only files that end with `.mg` or `.gl` and that git does not ignore count

            warning[MG921 unmatched-pattern]: `b.mg` in `hybrid` matches no file
             --> mangle-ls.toml:3:12
              |
            3 | hybrid = ['b.mg', 'a.mg']
              |            ^^^^
              |
              = note: patterns are relative to the folder of this file
              = note: only files that end with `.mg` or `.gl` and that git does not ignore count

            2 warnings in 1 file (1 clause)
            exit 0
        "#]],
    );
}

#[test]
fn directives_are_errors_but_in_hybrid_files() {
    check(
        PROJECT,
        &["check"],
        expect![[r#"
            warning[MG902 config-unknown-key]: unknown setting `target` in `program`
             --> mangle-ls.toml:7:1
              |
            7 | target = '0.4.0'
              | ^^^^^^ this key is ignored
              |
              = help: write `engine` in `[kernel]` instead

            1 warning in 2 files (1 clause)
            exit 1
        "#]],
    );
    check(
        &[("b.mg", "INTENT: 'x' -> /y\nINTENT: 'z' -> /w\np(1).\n")],
        &["check"],
        expect![[r#"
            error[MG080 directive-outside-hybrid]: `INTENT:` directive in a file that is not hybrid
             --> b.mg:1:1
              |
            1 | INTENT: 'x' -> /y
              | ^^^^^^^^^^^^^^^^^ and one more line below
              |
              = note: codeNERD's loader removes such lines; the engine itself rejects them
              = help: if codeNERD loads this file, list it in `hybrid` of its `[[program]]` in mangle-ls.toml

            1 error in 1 file (1 clause)
            exit 1
        "#]],
    );
}
