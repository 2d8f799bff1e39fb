//! Explanations of a prompt: text output of `preview --why` and `--why-not`, and remarks above a
//! prompt about the use of atoms in its mode and undeclared predicates that the runtime supplies.

use super::{Lines, PreviewNames, origin, proof_text, written};
use agent_prompt::session::keys::SessionField;
use agent_prompt::{
    AbsenceReason, AtomAbsence, Mode, OriginPlace, PreviewState, PreviewedPrompt, PromptLine, PromptPart,
    RuleAbsence, RuleAbsenceReason, SectionSource, undeclared_of_runtime,
};
use mangle_engine::kernel::RuleId;
use mangle_report::proof;
use mangle_syntax::text::{listed, size};

/// Explains the prompt lines that contain a text, or that come from the prompt atom with this ID
/// (`--why`). Empty if there are none.
#[must_use]
pub fn why<'a>(
    common: &'a PreviewState,
    shown: &mut PreviewedPrompt,
    text: &str,
    names: PreviewNames<'a>,
) -> String {
    let (mut out, mut lines) = (String::new(), Lines::default());
    for found in common.why(shown, text) {
        let line: Option<PromptLine> = shown
            .prompt
            .sections
            .get(found.section)
            .and_then(|section| section.lines.get(found.line))
            .cloned();
        let Some(line) = line else { continue };
        let report = origin(common, shown, &line.origin, names, &mut lines, false);
        out.push_str(&format!("{}\n  {}\n", line.text, report.short()));
        for (at, proof) in found.proofs.iter().enumerate() {
            let head = if at == 0 { "" } else { "  or\n" };
            let text = proof_text(common, shown, proof, names);
            out.push_str(head);
            text.lines().for_each(|line| out.push_str(&format!("  {line}\n")));
        }
    }
    out
}

/// A `--why-not` question: shard, text, and maximum depth of nested rules. The text is a line, a
/// part of a line, or the ID of a prompt atom.
#[derive(Debug, Clone, Copy)]
pub struct WhyNotQuestion<'q> {
    pub shard: &'q str,
    pub text: &'q str,
    pub depth: usize,
}

/// Explains why a text is missing from the prompt of a shard (`--why-not`). Returns true if the
/// text is present.
#[must_use]
pub fn why_not<'a>(
    common: &'a PreviewState,
    shown: &mut PreviewedPrompt,
    asked: WhyNotQuestion<'_>,
    names: PreviewNames<'a>,
) -> (bool, String) {
    let WhyNotQuestion { shard, text, depth } = asked;
    let reason = common.why_not(shown, shard, text, depth);
    let said = match &reason {
        AbsenceReason::Shown => "it is in the prompt\n".to_owned(),
        AbsenceReason::Atoms(atoms) => atoms.iter().map(|atom| atom_line(common, atom, names)).collect(),
        AbsenceReason::WrongKey { keys, wanted } => {
            format!(
                "wrong shard key: it is injected for {}; `{shard}` accepts only {}, exactly\n",
                listed(keys.iter().map(String::as_str)),
                listed(wanted.iter().map(String::as_str))
            )
        }
        AbsenceReason::BelowThreshold(scores) => {
            let place = |rule| common.line_of_rule(rule).map(|(file, line)| ((names.file)(file), line));
            let score = |(score, rule): &(i64, RuleId)| match place(*rule) {
                Some((file, line)) => format!("{score} ({file}:{line})"),
                None => score.to_string(),
            };
            let scores: Vec<_> = scores.iter().map(score).collect();
            format!(
                "below threshold: its score is {}, and only scores above 50 are injected\n",
                scores.join(", ")
            )
        }
        AbsenceReason::NotInMode => {
            "it is injected for the shard, but this prompt does not show it\n".to_owned()
        }
        AbsenceReason::Hidden { predicate, why, rules } => {
            let rules =
                if rules.is_empty() { String::new() } else { not_derived(common, shown, text, rules, names) };
            format!("a fact of `{predicate}` has the text, but {why}\n{rules}")
        }
        AbsenceReason::Dropped(why) => {
            format!("it is injected for the shard, but the prompt compiler omits injected context; {why}\n")
        }
        AbsenceReason::NotDerived(rules) => explain_session_value(shown, text, names)
            .unwrap_or_else(|| not_derived(common, shown, text, rules, names)),
    };
    (reason == AbsenceReason::Shown, said)
}

/// Formats, for example, `prompt atom style/short (atoms/a.yaml:9): blocked: …`.
fn atom_line<'a>(common: &'a PreviewState, atom: &AtomAbsence, names: PreviewNames<'a>) -> String {
    let place = atom.place.and_then(|(file, range)| written(common, OriginPlace::File(file, range), names));
    let place = place.map_or_else(String::new, |(file, text, range)| {
        format!(" ({file}:{})", Lines::default().line_number(text, range.start()))
    });
    let why = atom.reason.as_deref().unwrap_or("it is in the prompt");
    format!("prompt atom {}{place}: {why}\n", atom.id)
}

/// Explains why a text in the session file is missing from the prompt.
fn explain_session_value(shown: &PreviewedPrompt, text: &str, names: PreviewNames<'_>) -> Option<String> {
    let (name, file) = names.session?;
    let at = file.find(text)?;
    let given = &shown.request.session.as_ref()?.session.given;
    let before = given.iter().filter(|given| given.range.start() <= size(at));
    let key = before.max_by_key(|given| given.range.start())?;
    let line = Lines::default().line_number(file, size(at));
    Some(format!("{name}:{line} has the text, but {}\n", reason_not_shown(shown, key.field)))
}

/// Explains why a value of the session file is missing from a prompt.
fn reason_not_shown(shown: &PreviewedPrompt, field: &SessionField) -> String {
    let name = field.name;
    match (shown.prompt.mode, field.shown) {
        (_, None) => format!("`{name}` is not shown in any prompt"),
        (Mode::Legacy, Some(_)) => format!("this prompt does not show `{name}`"),
        (mode, Some(_)) => format!("prompts in mode `{}` do not show `{name}`; `legacy` does", mode.as_str()),
    }
}

/// Explains the missing premises of each rule. Rules with similar lines come first, and other rules
/// take one line each.
fn not_derived(
    common: &PreviewState,
    shown: &PreviewedPrompt,
    text: &str,
    rules: &[RuleAbsence],
    names: PreviewNames<'_>,
) -> String {
    let near = match text.contains(char::is_whitespace) {
        false => common.atom_near(shown, text),
        true => None,
    };
    let near = near.map_or_else(String::new, |near| {
        format!("no prompt atom is called `{text}`; did you mean `{near}`?\n")
    });
    if rules.is_empty() {
        let nothing = "not derived: `injectable_context` has no such fact, and no rule could derive it\n";
        return format!("{near}{nothing}");
    }
    let place = |rule: RuleId| match common.line_of_rule(rule) {
        Some((file, line)) => format!("{}:{line}", (names.file)(file)),
        None => "?".to_owned(),
    };
    let (alike, others): (Vec<_>, Vec<_>) = rules.iter().partition(|rule| rule.is_alike);
    let mut out = format!("{near}not derived:\n");
    if alike.is_empty() {
        others.iter().for_each(|rule| out.push_str(&explained(rule, &place)));
        return out;
    }
    alike.iter().for_each(|rule| out.push_str(&explained(rule, &place)));
    for rule in others {
        out.push_str(&format!("{}: derives other lines: `{}`\n", place(rule.rule), rule.pattern));
    }
    out
}

/// Formats the line pattern of a rule, followed by its missing premises.
fn explained(rule: &RuleAbsence, place: &dyn Fn(RuleId) -> String) -> String {
    let mut out = format!("{}: gives lines `{}`\n", place(rule.rule), rule.pattern);
    match &rule.why {
        RuleAbsenceReason::OtherLines(lines) => {
            out.push_str("  for this shard it derives other lines:\n");
            lines.iter().for_each(|line| out.push_str(&format!("    {line}\n")));
        }
        RuleAbsenceReason::OtherShard(shard) => {
            out.push_str(&format!("  for another shard: argument 1 of the head is {shard}\n"))
        }
        RuleAbsenceReason::FailedPremise(gap) => {
            let text = proof::gaps(std::slice::from_ref(gap), place);
            let own = format!("{}: ", place(rule.rule));
            let text = text.strip_prefix(&own).unwrap_or(&text);
            text.lines().for_each(|line| out.push_str(&format!("  {line}\n")));
        }
    }
    out
}

/// Returns the remarks, each as a sentence without a full stop.
pub(super) fn remarks(common: &PreviewState, shown: &PreviewedPrompt) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    if shown.request.part == PromptPart::System && common.has_atoms(shown) {
        all.extend(of_mode(shown).map(str::to_owned));
    }
    for (name, fact) in undeclared_of_runtime(common, shown) {
        let gives = match fact {
            Some(fact) => format!("and so does this preview: `{fact}`"),
            None => "but this preview does not, because it adds no facts of its own".to_owned(),
        };
        all.push(format!("`{name}` has no `Decl` here; the runtime declares and asserts it, {gives}"));
    }
    all
}

/// Describes the treatment of atoms in modes without the prompt compiler.
fn of_mode(shown: &PreviewedPrompt) -> Option<&'static str> {
    let base = shown.prompt.sections.iter().find(|section| section.kind.as_str() == "base");
    match (shown.prompt.mode, base.map(|section| &section.from)) {
        _ if shown.prompt.fallback.is_some() => None,
        (Mode::Jit, _) => None,
        (Mode::Section, _) => {
            Some("`section` shows the context that the kernel injects, without prompt atoms")
        }
        (Mode::Legacy, Some(SectionSource::Atoms)) => Some(
            "`legacy` uses no prompt compiler: its base is the mandatory atoms whose selectors match, all other atoms are \
             ignored, and no reply format is appended to atoms",
        ),
        (Mode::Legacy, Some(SectionSource::Kernel)) => Some(
            "`legacy` uses no prompt compiler: its base is the template of `shard_prompt_base`, and all prompt atoms are ignored",
        ),
        (Mode::Legacy, _) => Some(
            "`legacy` uses no prompt compiler: no mandatory atom matches, so its base is a built-in text, and all prompt atoms \
             are ignored",
        ),
    }
}
