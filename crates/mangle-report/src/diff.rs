//! Unified diff of a file.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use similar::{ChangeTag, TextDiff};

use super::sink;

/// The number of context lines around a change.
const CONTEXT: usize = 3;

/// The colored difference between two texts of the file `name`, in the format of `patch -p0`. Empty
/// without a difference.
#[must_use]
pub fn diff(name: &str, old: &str, new: &str) -> String {
    diff_with(NamedText { name, text: old }, NamedText { name, text: new }, &|_| None)
}

/// A text with its name in the head of a difference.
#[derive(Debug, Clone, Copy)]
pub struct NamedText<'a> {
    pub name: &'a str,
    pub text: &'a str,
}

/// The difference between two texts with separate names, with notes after added lines. The argument
/// of `note` is the line number, from 0.
#[must_use]
pub fn diff_with(old: NamedText<'_>, new: NamedText<'_>, note: &dyn Fn(usize) -> Option<String>) -> String {
    let diff = TextDiff::from_lines(old.text, new.text);
    let mut out = String::new();
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        if out.is_empty() {
            let bold = Style::new().bold();
            let (old_name, new_name) = (sink::line(old.name), sink::line(new.name));
            let _ = writeln!(out, "{bold}--- {old_name}{bold:#}\n{bold}+++ {new_name}{bold:#}");
        }
        let cyan = AnsiColor::Cyan.on_default();
        let _ = writeln!(out, "{cyan}{}{cyan:#}", hunk.header());
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', AnsiColor::Red.on_default()),
                ChangeTag::Insert => ('+', AnsiColor::Green.on_default()),
                ChangeTag::Equal => (' ', Style::new()),
            };
            let line = change.value();
            let text = line.strip_suffix('\n').unwrap_or(line);
            let (text, end) = text.strip_suffix('\r').map_or((text, "\n"), |text| (text, "\r\n"));
            let note = change.new_index().filter(|_| sign == '+').and_then(note);
            let faint = Style::new().dimmed();
            let note = note.map(|note| format!("  {faint}← {}{faint:#}", sink::line(&note)));
            let note = note.unwrap_or_default();
            let _ = write!(out, "{style}{sign}{}{style:#}{note}{end}", sink::lines(text));
            if change.missing_newline() {
                out.push_str("\\ No newline at end of file\n");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_diff_can_be_read_and_applied() {
        let shown = anstream::adapter::strip_str(&diff("a.mg", "p(1)\nq(2)", "p(1).\nq(2)")).to_string();
        expect![[r#"
            --- a.mg
            +++ a.mg
            @@ -1,2 +1,2 @@
            -p(1)
            +p(1).
             q(2)
            \ No newline at end of file
        "#]]
        .assert_eq(&shown);
        assert_eq!(diff("a.mg", "p(1).\r\n", "p(1).\r\n"), "");
    }
}
