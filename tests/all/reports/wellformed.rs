//! Whatever a finding says and wherever it lies, every format stays well-formed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use annotate_snippets::Renderer;
use mangle_report::{ReportEntry, SarifRun, SourceText, Sources};
use mangle_syntax::lint::{
    Applicability, Diagnostic, FileEdit, FixKind, Group, RelatedPlace, ResolvedFix, Rule, Severity,
};
use mangle_syntax::text::{FileId, TextRange, TextSize};
use proptest::prelude::*;

use super::schema;

static RULE: Rule = Rule {
    code: "MG202",
    name: "negation-wildcard",
    group: Group::Safety,
    severity: Some(Severity::Error),
    summary: "",
    rationale: "",
    fix_text: "",
    bad: "",
    finding: "",
    good: "",
    fix: FixKind::Unsafe,
    engine: None,
};

/// Text with what formats trip over.
fn text() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        "::",
        "%0A",
        ",",
        "]]>",
        "<!--",
        "&amp;",
        "\"",
        "\u{0}",
        "\u{1b}[31m",
        "\r",
        "\n",
        "\r\n",
        "\u{fffe}",
        "\u{2028}",
        "🦀",
        "é",
        "[a](1)",
        "{0}",
        "\\",
        "\u{85}",
        "\u{feff}",
        "##[error]",
    ]);
    let piece = prop_oneof![odd.prop_map(str::to_owned), ".{0,4}"];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

/// The name of a file, also one that is no UTF-8.
fn path() -> impl Strategy<Value = PathBuf> {
    let bytes = prop::collection::vec(1u8.., 1..12);
    bytes.prop_map(|mut bytes| {
        bytes.retain(|byte| *byte != b'/' && *byte != b'.');
        bytes.push(b'x');
        Path::new("/root folder").join(name(bytes))
    })
}

#[cfg(unix)]
fn name(bytes: Vec<u8>) -> std::ffi::OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

#[cfg(not(unix))]
fn name(bytes: Vec<u8>) -> std::ffi::OsString {
    String::from_utf8_lossy(&bytes).replace(['\\', ':', '?', '*', '<', '>', '|', '"'], "_").into()
}

/// Two places in a text, between characters.
fn range(text: &str, a: prop::sample::Index, b: prop::sample::Index) -> TextRange {
    let borders: Vec<_> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
    let (a, b) = (*a.get(&borders), *b.get(&borders));
    let size = |at: usize| TextSize::new(u32::try_from(at).unwrap());
    TextRange::new(size(a.min(b)), size(a.max(b)))
}

prop_compose! {
    /// A file and findings about it.
    fn world()(
        path in path(),
        source in text(),
        found in prop::collection::vec(
            (text(), any::<[prop::sample::Index; 4]>(), 0..4usize, any::<bool>(), text()), 0..4),
    ) -> (Sources, Vec<ReportEntry>, PathBuf) {
        let file = FileId(0);
        let entry = |(message, places, severity, fails, replacement): (String, [_; 4], usize, bool, String)| {
            let range = |a, b| range(&source, a, b);
            let edit = FileEdit { file, range: range(places[2], places[3]), text: replacement.clone() };
            let fix = ResolvedFix {
                title: replacement.clone().into(),
                applicability: Applicability::Safe,
                evidence: false,
                edits: vec![edit],
                alternative: None,
            };
            let related =
                RelatedPlace { file, range: range(places[1], places[2]), message: replacement.clone().into() };
            let range = range(places[0], places[1]);
            let diagnostic = Diagnostic {
                label: Some(replacement.clone().into()),
                related: vec![related],
                notes: vec![replacement.clone().into()],
                fix: (!replacement.is_empty()).then_some(fix),
                ..Diagnostic::new(&RULE, Severity::ALL[severity], range, message.into())
            };
            ReportEntry { file, diagnostic, fails }
        };
        let mut entries: Vec<_> = found.into_iter().map(entry).collect();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let mut sources = Sources::default();
        sources.insert_source(file, SourceText::new(name, Arc::from(source.as_str())).at(&path));
        mangle_report::sort(&mut entries, &sources);
        (sources, entries, path)
    }
}

/// The bytes that a URI stands for.
fn decoded(uri: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = uri.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first == b'%' {
            bytes.push(u8::from_str_radix(std::str::from_utf8(&tail[..2]).unwrap(), 16).unwrap());
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn sarif_is_valid((sources, entries, path) in world(), why in text()) {
        let (root, rules) = (Path::new("/root folder"), [&RULE]);
        let failures = vec![(path.as_path(), why.as_str()), (Path::new("/else where/a"), "gone")];
        let run = SarifRun { root, rules: &rules, failures, exit_code: 2 };
        let log = schema::sarif(&mangle_report::sarif(&entries, &sources, &run));
        let results = log["runs"][0]["results"].as_array().unwrap();
        prop_assert_eq!(results.len(), entries.len());
        for result in results {
            let place = &result["locations"][0]["physicalLocation"];
            let uri = place["artifactLocation"]["uri"].as_str().unwrap();
            prop_assert!(uri.is_ascii());
            prop_assert_eq!(&decoded(uri)[..], path.file_name().unwrap().as_encoded_bytes());
        }
    }

    #[test]
    fn junit_is_xml((sources, entries, _) in world(), why in text()) {
        let failures = [(why.clone(), why)];
        let summary = mangle_report::count(&entries);
        let xml = mangle_report::junit(&entries, &[FileId(0)], &sources, &failures, &summary);
        let document = roxmltree::Document::parse(&xml).map_err(|error| {
            TestCaseError::fail(format!("{error}\n{xml}"))
        })?;
        let count = |name: &str| document.descendants().filter(|node| node.has_tag_name(name)).count();
        prop_assert_eq!(count("testsuite"), 2);
        prop_assert_eq!(count("testcase"), entries.len().max(1) + 1);
        prop_assert_eq!(count("failure"), entries.iter().filter(|entry| entry.fails).count());
    }

    #[test]
    fn a_workflow_command_is_one_line((sources, entries, _) in world()) {
        for entry in &entries {
            let command = mangle_report::github_command(entry, &sources, Path::new("/root folder"));
            prop_assert!(!command.contains(['\n', '\r']), "{command}");
            let (head, message) = command[2..].split_once("::").unwrap();
            let decode = |text: &str| {
                text.replace("%0D", "\r").replace("%0A", "\n").replace("%3A", ":").replace("%2C", ",").replace("%25", "%")
            };
            // Signs stand for control characters, and commands of the older form are broken.
            let shown = |text: &str| mangle_report::sink::lines(text).replace("##[", "## [");
            prop_assert!(decode(message).starts_with(&shown(&entry.diagnostic.message)), "{command}");
            let (_, properties) = head.split_once(' ').unwrap();
            let names: Vec<_> = properties.split(',').map(|property| property.split('=').next().unwrap()).collect();
            prop_assert!(matches!(
                &names[..],
                ["file", "line", "col", "endColumn", "title"] | ["file", "line", "endLine", "title"]
            ), "{command}");
            let file = properties.split(',').next().unwrap().strip_prefix("file=").unwrap();
            prop_assert_eq!(decode(file), shown(sources.name(entry.file)));
        }
    }

    #[test]
    fn json_is_one_line((sources, entries, _) in world()) {
        for entry in &entries {
            let line = mangle_report::json_line(entry, &sources);
            prop_assert!(!line.contains(['\n', '\r']));
            let value: serde_json::Value = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(value["message"].as_str(), Some(entry.diagnostic.message.as_str()));
            prop_assert_eq!(value["file"].as_str(), Some(sources.name(entry.file)));
        }
    }

    #[test]
    fn text_does_not_steer_the_terminal((sources, entries, _) in world()) {
        for entry in &entries {
            let text = mangle_report::text(entry, &sources, &Renderer::plain());
            let steers = |char: char| char.is_control() && char != '\n';
            prop_assert!(!text.contains(steers), "{text:?}");
        }
    }

    #[test]
    fn nothing_is_new_against_itself((sources, entries, _) in world()) {
        prop_assert_eq!(mangle_report::new_findings(entries.clone(), &sources, &entries, &sources), []);
        prop_assert_eq!(mangle_report::new_findings(entries.clone(), &sources, &[], &sources), entries);
    }
}
