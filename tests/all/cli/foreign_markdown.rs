//! Reports in Markdown over a project whose texts are hostile: no text of the project is a link, an image, HTML, a heading or a
//! table there. Two readers of Markdown check that: one in this program, and `cmark-gfm`, the one of GitHub, if it is installed.

use std::io::Write as _;
use std::process::{Command, Stdio};

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::foreign_text::project;
use super::support::{folder, run, stdout};

/// A word in all hostile texts. It is also an address that readers of Markdown make links of.
const MARK: &str = "evil.example";

/// Texts that are more than text to a reader of Markdown; `M` stands for the word.
const PAYLOADS: [&str; 18] = [
    "x\n\n# All requests are permitted M",
    "x\r\r## M",
    "[a M](http://M) ![b M](http://M/i)",
    "www.M http://M https://M/x?y=z ftp://M me@M mailto:me@M xmpp:me@M",
    "</summary>\n\n[a](http://M)\n\n<details open>",
    "a\n\n| M | b |\n|---|---|\n| M | c |\n",
    "`` ` ``[a](http://M)` ``",
    "a`b``[M](http://M)```c",
    "[^1] M\n\n[^1]: http://M",
    "[M]\n\n[M]: http://M",
    "$`M`$ $$M$$ @M :smile:M: M#12 GH-12",
    "\\| M \\\\| <b>M</b> <!-- M --> | M |",
    "- M\n\n    M\n\n1. M\n\n---\n\n> M\n\n===\n",
    "```\n\n# M\n\n~~~\n[M](http://M)",
    "</code></details>\n\n<img src=x onerror=M>",
    "<![CDATA[ M ]]> <?M?> <!M>",
    "&lt;b&gt;M &#60;i&#62; &copy;M",
    "**M** __M__ ~~M~~ ==M== ^M^ \\M\\",
];

/// Words without any sign, for comparison.
const HARMLESS: &str = "nothing of note";

const REPORTS: [&[&str]; 4] = [
    &["replay", "t/a.jsonl", "--format", "markdown", "--show-permits"],
    &["transcript", "show", "t/a.jsonl", "--format", "markdown"],
    &["preview", "fix.kernel.mg", "--format", "markdown", "--provenance"],
    &["preview", "fix.kernel.mg", "--format", "markdown"],
];

/// Tags of our own.
const TAGS: [&str; 6] = ["<details>", "</details>", "<summary>", "</summary>", "<code>", "</code>"];

/// The first thing in a report that is more than text, or that another reader could make more of.
fn fault(markdown: &str) -> Option<String> {
    for event in Parser::new_ext(markdown, Options::all()) {
        match &event {
            Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::FootnoteDefinition(_))
            | Event::FootnoteReference(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::Rule => return Some(format!("{event:?}")),
            Event::Html(html) | Event::InlineHtml(html) => {
                let rest = TAGS.iter().fold(html.to_string(), |html, tag| html.replace(tag, ""));
                if rest.contains('<') {
                    return Some(format!("{event:?}"));
                }
            }
            Event::Text(text) if text.contains(MARK) => return Some(format!("{event:?}")),
            _ => {}
        }
    }
    None
}

/// A report without its blocks of code, whose text is nothing else.
fn without_blocks(markdown: &str) -> String {
    let (mut out, mut fence) = (String::new(), None);
    for line in markdown.split_inclusive('\n') {
        let ticks = line.chars().take_while(|char| *char == '`').count();
        match fence {
            None if ticks >= 3 && !line.trim_end().ends_with('`') => fence = Some(ticks),
            None => out.push_str(line),
            Some(open) if ticks >= open && line.trim_end().len() == ticks => fence = None,
            Some(_) => {}
        }
    }
    out
}

/// What `cmark-gfm` makes of a text; `None` if it is not installed.
fn github(markdown: &str) -> Option<String> {
    let mut command = Command::new("cmark-gfm");
    command.args(["--to", "xml", "--unsafe", "--footnotes"]);
    ["table", "autolink", "strikethrough", "tasklist"].iter().for_each(|name| _ = command.args(["-e", name]));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let mut input = child.stdin.take()?;
    let text = markdown.to_owned();
    let writing = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().ok()?;
    writing.join().ok()?.ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The nodes of a document of `cmark-gfm` that a text may not make.
fn github_faults(xml: &str) -> Vec<&str> {
    let is_text = |line: &str| line.trim_start().starts_with("<text") && line.contains(MARK);
    let acts = |line: &str| {
        ["<link", "<image", "<footnote", "<thematic_break"]
            .iter()
            .any(|tag| line.trim_start().starts_with(tag))
    };
    xml.lines().filter(|line| acts(line) || is_text(line)).collect()
}

#[test]
fn nothing_foreign_acts_in_a_report() {
    let (mut wrong, mut skipped) = (String::new(), 0);
    let texts = PAYLOADS.iter().map(|payload| payload.replace('M', MARK));
    for text in texts.chain([HARMLESS.to_owned()]) {
        let project = project(&text);
        for arguments in REPORTS {
            let report = stdout(&run(project.path(), arguments));
            let words = without_blocks(&report);
            if let Some(fault) = fault(&words) {
                wrong += &format!("{} of {text:?}: {fault}\n", arguments[0]);
            }
            match github(&report) {
                Some(xml) => {
                    for fault in github_faults(&xml) {
                        wrong += &format!("{} of {text:?}, cmark-gfm: {fault}\n", arguments[0]);
                    }
                }
                None => skipped += 1,
            }
        }
    }
    if skipped > 0 {
        println!("skipped: {skipped} reports for cmark-gfm, which is not installed");
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn nothing_foreign_acts_in_a_comparison() {
    for payload in PAYLOADS {
        let text =
            payload.replace('M', MARK).replace('\\', "\\\\").replace('"', "'").replace(['\n', '\r'], "\\n");
        let policy = |more: &str| {
            format!("Decl p(X) descr [extensional()] bound [/string].\nq(\"{text}\") :- p(X).\n{more}")
        };
        let (old, new) = (policy(""), policy(&format!("q(\"{text} more\") :- p(\"{text}\").\n")));
        let project = folder(&[("old/a.mg", &old), ("new/a.mg", &new)]);
        let report = stdout(&run(project.path(), &["diff", "old", "new", "q(X)", "--format", "markdown"]));
        assert!(report.contains("<details>"), "{report}");
        assert_eq!(fault(&without_blocks(&report)), None, "{report}");
        if let Some(xml) = github(&report) {
            assert_eq!(github_faults(&xml), [""; 0], "{report}");
        }
    }
}
