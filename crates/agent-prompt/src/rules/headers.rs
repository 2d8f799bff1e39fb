//! Rules about the settings of previews and about session files.

use super::subject::{Found, Subject};
use crate::hybrid::{DirectiveAtom, Directives};
use crate::jit::Category;
use mangle_syntax::lint::{Finding, FixKind, Group, Rule, Severity};

/// A preview without a shard.
pub static PREVIEW_INCOMPLETE: Rule = Rule {
    code: "PP020",
    name: "preview-incomplete",
    group: Group::Prompts,
    severity: Some(Severity::Error),
    summary: "A preview does not say for which shard it is.",
    rationale: "A prompt is made for one shard: its id selects what the kernel injects, its type the base. Without them there \
                is nothing to show. The reference runtime refuses such a context in its map form, and shows the general \
                base in the other.",
    bad: "#- schemas.gl\nDecl test_state(State).\nDecl injectable_context(Id, Text) bound [/string, /string].\n#- fix.kernel.mg\n# @preview use: schemas.gl\n# @preview name: fix\n\
          test_state(/failing).\n",
    good: "#- schemas.gl\nDecl test_state(State).\nDecl injectable_context(Id, Text) bound [/string, /string].\n#- fix.kernel.mg\n# @preview use: schemas.gl\n# @preview name: fix\n\
           # @preview shard: coder-7 coder\ntest_state(/failing).\n",
    fix: FixKind::None,
};

/// `activ_files: [a]`
pub static SESSION_KEY: Rule = Rule {
    code: "PP024",
    name: "session-key",
    group: Group::Prompts,
    severity: Some(Severity::Warning),
    summary: "A session file has a key that does not exist, or a value that cannot be used.",
    rationale: "What cannot be read is ignored: whatever it was meant to show is in no preview. A file that is no YAML or \
                JSON at all is an error, and nothing of it is used.",
    bad: "#- fix.kernel.mg\n# @preview shard: coder-7 coder\n# @preview session: fix.session.yaml\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
          #- fix.session.yaml\nfailing_test:\n  - t_renew\n",
    good: "#- fix.kernel.mg\n# @preview shard: coder-7 coder\n# @preview session: fix.session.yaml\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
           #- fix.session.yaml\nfailing_tests:\n  - t_renew\n",
    fix: FixKind::Unsafe,
};

/// `# @preview sesion: x`
pub static PREVIEW_KEY: Rule = Rule {
    code: "PP025",
    name: "preview-key",
    group: Group::Prompts,
    severity: Some(Severity::Warning),
    summary: "A `# @preview` comment has a key that does not exist, or a value that cannot be read.",
    rationale: "The comment is ignored, and the preview is made without it. The keys are `name:`, `shard:`, `intent:`, \
                `use:`, `session:`, `mode:` and `captured:`; only comments before the first statement count.",
    bad: "# @preview shard: coder-7 coder\n# @preview mod: legacy\nDecl injectable_context(Id, Text) bound [/string, /string].\n",
    good: "# @preview shard: coder-7 coder\n# @preview mode: legacy\nDecl injectable_context(Id, Text) bound [/string, /string].\n",
    fix: FixKind::Unsafe,
};

/// `# @preview` in `fix.mg`
pub(super) static PREVIEW_OUTSIDE_KERNEL: Rule = Rule {
    code: "PP047",
    name: "preview-outside-kernel",
    group: Group::Prompts,
    severity: Some(Severity::Warning),
    summary: "A `# @preview` comment is in a file that is no sample kernel.",
    rationale: "Previews are made of files whose names end with `.kernel.mg`. In any other file the comment is ignored, and no \
                prompt is shown or checked.",
    bad: "#- fix.mg\n# @preview shard: coder-7 coder\nDecl injectable_context(Id, Text) bound [/string, /string].\n",
    good: "#- fix.kernel.mg\n# @preview shard: coder-7 coder\nDecl injectable_context(Id, Text) bound [/string, /string].\n",
    fix: FixKind::None,
};

/// What is wrong with the comments of a file that is no sample kernel. Ranges count from the start of the file.
#[must_use]
pub fn outside_kernel(text: &str) -> Option<Finding> {
    if !text.contains("@preview") {
        return None;
    }
    let header = crate::Header::read(text);
    let first = header.groups.first().map(|group| group.range);
    let range = first.or(header.findings.first().map(|finding| finding.range))?;
    let message = "This `# @preview` comment is ignored: only files named `*.kernel.mg` have previews.";
    Some(Finding::new(&PREVIEW_OUTSIDE_KERNEL, range, message))
}

/// `# @preview session: missing.yaml`
pub static PREVIEW_PATH: Rule = Rule {
    code: "PP026",
    name: "preview-path",
    group: Group::Prompts,
    severity: Some(Severity::Error),
    summary: "A path in a `# @preview` comment leads to no file that can be used.",
    rationale: "Paths count from the folder of the sample kernel and must stay inside of the repository. What is not found is \
                left out: the rules, or the session, are missing from the preview.",
    bad: "#- fix.kernel.mg\n# @preview shard: coder-7 coder\n# @preview session: fx.session.yaml\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
          #- fix.session.yaml\nfailing_tests:\n  - t_renew\n",
    good: "#- fix.kernel.mg\n# @preview shard: coder-7 coder\n# @preview session: fix.session.yaml\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
           #- fix.session.yaml\nfailing_tests:\n  - t_renew\n",
    fix: FixKind::None,
};

/// `INTENT: nothing`
pub static HYBRID_DIRECTIVE: Rule = Rule {
    code: "PP030",
    name: "hybrid-directive",
    group: Group::Prompts,
    severity: Some(Severity::Warning),
    summary: "A directive of codeNERD cannot be read.",
    rationale: "The loader takes lines that start with `TAXONOMY:`, `INTENT:` and `PROMPT:` out of the file and drops those \
                that it cannot read; only its log says so.",
    bad: "#- words.mg\nPROMPT: /style/short [methodology] -> \"Be brief.\"\nPROMPT: /style/long [methodology] ->\n\
          #- fix.kernel.mg\n# @preview shard: coder-7 coder\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
          #- mangle-ls.toml\n[[program]]\nname = \"words\"\ninclude = [\"*.mg\"]\nhybrid = [\"words.mg\"]\n",
    good: "#- words.mg\nPROMPT: /style/short [methodology] -> \"Be brief.\"\nPROMPT: /style/long [methodology] -> \"Explain.\"\n\
           #- fix.kernel.mg\n# @preview shard: coder-7 coder\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
           #- mangle-ls.toml\n[[program]]\nname = \"words\"\ninclude = [\"*.mg\"]\nhybrid = [\"words.mg\"]\n",
    fix: FixKind::None,
};

/// What is wrong with the header, with directives and with session files.
pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<Found>) {
    if let Some(file) = subject.sample() {
        let findings = subject.header.findings.iter().cloned();
        found.extend(findings.map(|finding| Found { file, finding }));
    }
    let program = subject.program();
    for file in program.files.iter().filter(|file| program.embedding.is_hybrid(file.id)) {
        let directives = Directives::read(&file.text);
        let is_unknown =
            |atom: &&DirectiveAtom| !atom.category.is_empty() && Category::parse(&atom.category).is_none();
        let unknown = directives.atoms.iter().filter(is_unknown).map(|atom| {
            let message = format!(
                "There is no category `{}`, so the runtime does not store this atom: the first tag is its category.",
                atom.category
            );
            Finding::new(&HYBRID_DIRECTIVE, atom.range, message)
        });
        let findings = unknown.chain(directives.findings.iter().cloned());
        found.extend(findings.map(|finding| Found { file: file.id, finding }));
    }
    for shown in subject.shown.iter().filter(|shown| !shown.wanted.context.is_complete()) {
        let context = &shown.wanted.context;
        let what = match (context.shard_id.is_empty(), context.shard_type.is_empty()) {
            (true, true) => "neither id nor type",
            (true, false) => "no id",
            _ => "no type",
        };
        let message = format!(
            "The shard of preview `{}` has {what}: the runtime refuses it where it is given as a map, and takes the general \
             base elsewhere. Write both: `# @preview shard: coder-7 coder`.",
            shown.wanted.name
        );
        subject.at_header(found, &PREVIEW_INCOMPLETE, shown.wanted.range, message);
    }
    for (shown, file) in subject.shown.iter().zip(subject.sessions) {
        let (Some(session), Some(file)) = (&shown.wanted.session, *file) else { continue };
        found.extend(session.findings.iter().cloned().map(|finding| Found { file, finding }));
    }
}
