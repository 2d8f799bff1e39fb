//! Rules about the base of prompts: templates of the kernel.

use super::subject::{Found, Subject, within};
use crate::assembly::{TEMPLATES, has_envelope, template_for};
use crate::preview::Shown;
use crate::sections::{From, Mode, SectionKind};
use mangle_syntax::lint::{Finding, Fix, FixKind, Group, Rule, Severity, Span};

/// No template for a type.
pub(super) static TEMPLATE_MISSING: Rule = Rule {
    code: "PP007",
    name: "template-missing",
    group: Group::Prompts,
    severity: Some(Severity::Information),
    summary: "The kernel has no template for the type of a shard.",
    rationale: "The base of the prompt is then a text that is built into the runtime (in previews, one of ours). A fact of \
                `shard_prompt_base(/type, \"text\")` takes its place; the type counts letter for letter.",
    bad: "#- schemas.gl\nDecl shard_prompt_base(Type, Text) bound [/name, /string].\n\
          Decl injectable_context(Id, Text) bound [/string, /string].\n#- fix.kernel.mg\n\
          # @preview shard: coder-7 coder\ninjectable_context(\"*\", \"Be brief.\").\n\
          shard_prompt_base(/tester, \"You test.\").\n",
    good: "#- schemas.gl\nDecl shard_prompt_base(Type, Text) bound [/name, /string].\n\
           Decl injectable_context(Id, Text) bound [/string, /string].\n#- fix.kernel.mg\n\
           # @preview shard: coder-7 coder\ninjectable_context(\"*\", \"Be brief.\").\n\
           shard_prompt_base(/coder, \"You code.\").\n",
    fix: FixKind::None,
};

/// Two templates for a type.
pub(super) static TEMPLATE_DUPLICATE: Rule = Rule {
    code: "PP008",
    name: "template-duplicate",
    group: Group::Prompts,
    severity: Some(Severity::Warning),
    summary: "There are several templates for one type of shard.",
    rationale: "Only the first one counts, even if it is empty, and which one that is the runtime's store does not promise. \
                The preview takes the one that stands first.",
    bad: "#- schemas.gl\nDecl shard_prompt_base(Type, Text) bound [/name, /string].\n\
          Decl injectable_context(Id, Text) bound [/string, /string].\n#- fix.kernel.mg\n\
          # @preview shard: coder-7 coder\ninjectable_context(\"*\", \"Be brief.\").\n\
          shard_prompt_base(/coder, \"You code.\").\nshard_prompt_base(/coder, \"You write code.\").\n",
    good: "#- schemas.gl\nDecl shard_prompt_base(Type, Text) bound [/name, /string].\n\
           Decl injectable_context(Id, Text) bound [/string, /string].\n#- fix.kernel.mg\n\
           # @preview shard: coder-7 coder\ninjectable_context(\"*\", \"Be brief.\").\n\
           shard_prompt_base(/coder, \"You code.\").\n",
    fix: FixKind::Unsafe,
};

/// `shard_prompt_base(/coder, "").`
pub(super) static TEMPLATE_EMPTY: Rule = Rule {
    code: "PP009",
    name: "template-empty",
    group: Group::Prompts,
    severity: Some(Severity::Warning),
    summary: "A template says nothing.",
    rationale: "An empty template counts as missing, and so do all others of its type: the built-in text is used. One of \
                blanks is used as it is, and the prompt has no base.",
    bad: "#- schemas.gl\nDecl shard_prompt_base(Type, Text) bound [/name, /string].\n\
          Decl injectable_context(Id, Text) bound [/string, /string].\n#- fix.kernel.mg\n\
          # @preview shard: coder-7 coder\ninjectable_context(\"*\", \"Be brief.\").\n\
          shard_prompt_base(/coder, \" \").\n",
    good: "#- schemas.gl\nDecl shard_prompt_base(Type, Text) bound [/name, /string].\n\
           Decl injectable_context(Id, Text) bound [/string, /string].\n#- fix.kernel.mg\n\
           # @preview shard: coder-7 coder\ninjectable_context(\"*\", \"Be brief.\").\n\
           shard_prompt_base(/coder, \"You code.\").\n",
    fix: FixKind::None,
};

/// A template that has envelope instructions of its own.
pub(super) static DOUBLE_ENVELOPE: Rule = Rule {
    code: "PP041",
    name: "double-envelope",
    group: Group::Prompts,
    severity: Some(Severity::Warning),
    summary: "A template of the kernel says how to answer, and the runtime says it again.",
    rationale: "Behind a template of the kernel the envelope instructions are appended whatever it says, so the shard reads \
                them twice, perhaps in two versions.",
    bad: "#- schemas.gl\nDecl shard_prompt_base(Type, Text) bound [/name, /string].\n\
          Decl injectable_context(Id, Text) bound [/string, /string].\n#- fix.kernel.mg\n\
          # @preview shard: coder-7 coder\ninjectable_context(\"*\", \"Be brief.\").\n\
          shard_prompt_base(/coder, \"You code. Answer with {\\\"control_packet\\\": {}}.\").\n",
    good: "#- schemas.gl\nDecl shard_prompt_base(Type, Text) bound [/name, /string].\n\
           Decl injectable_context(Id, Text) bound [/string, /string].\n#- fix.kernel.mg\n\
           # @preview shard: coder-7 coder\ninjectable_context(\"*\", \"Be brief.\").\n\
           shard_prompt_base(/coder, \"You code.\").\n",
    fix: FixKind::None,
};

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<Found>) {
    // Where the compiler fails, templates are what is left.
    let has_base = |shown: &&Shown| shown.prompt.mode != Mode::Section && !shown.is_compiled();
    for shown in subject.shown.iter().filter(has_base) {
        of_shard(subject, shown, found);
    }
}

fn of_shard(subject: &Subject<'_>, shown: &Shown, found: &mut Vec<Found>) {
    let kind = &shown.wanted.context.shard_type;
    let answers = subject.facts(shown, TEMPLATES, 2);
    let mut templates = answers.iter().filter_map(|answer| template_for(answer, kind));
    let Some((text, first)) = templates.next() else {
        let is_builtin = |section: &crate::Section| {
            section.kind == SectionKind::Base && matches!(section.from, From::Builtin(_))
        };
        if shown.prompt.sections.iter().any(is_builtin) && !kind.is_empty() {
            let message = format!(
                "The kernel has no template for `{kind}` {}, so a built-in text is its base: add a fact \
                 `shard_prompt_base(/{kind}, \"…\")`.",
                within(shown)
            );
            subject.at_header(found, &TEMPLATE_MISSING, shown.wanted.shard.1, message);
        }
        return;
    };
    let place = subject.place(shown, &first.held, 1);
    if let Some((file, range)) = place {
        let says = if text.is_empty() {
            Some("is empty, which counts as no template at all: a built-in text is used")
        } else if text.trim().is_empty() {
            Some("holds nothing but blanks, and the prompt has no base")
        } else {
            None
        };
        if let Some(says) = says {
            let message = format!("The template for `{kind}` {says} ({}).", within(shown));
            found.push(Found { file, finding: Finding::new(&TEMPLATE_EMPTY, range, message) });
        }
        if has_envelope(text) && shown.prompt.suffix {
            let message = format!(
                "This template says how to answer, and the runtime appends its envelope instructions all the same {}. Leave \
                 them out here.",
                within(shown)
            );
            found.push(Found { file, finding: Finding::new(&DOUBLE_ENVELOPE, range, message) });
        }
    }
    for (_, answer) in templates {
        let Some((file, range)) = subject.place(shown, &answer.held, 1) else { continue };
        let message =
            format!("Another template for `{kind}` stands before this one, so this is in no prompt.");
        let mut finding = Finding::new(&TEMPLATE_DUPLICATE, range, message);
        if let Some((before, at)) = place.filter(|(before, _)| *before == file) {
            debug_assert_eq!(before, file);
            finding = finding.related(Span::here(at), "the one that counts");
        }
        let item = subject.program().file(file).and_then(|file| file.items.get(file.item_at(range.start())?));
        if let Some(item) = item.filter(|item| item.statement.clause().is_some_and(|clause| clause.is_fact()))
        {
            let whole = item.statement.range() + item.start;
            finding = finding.fix(Fix::guess("Delete it").replace(whole, ""));
        }
        found.push(Found { file, finding });
    }
}
