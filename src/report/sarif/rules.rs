//! The rules of the tool as SARIF's descriptors.

use std::collections::BTreeMap;

use serde_sarif::sarif::{
    MultiformatMessageString, PropertyBag, ReportingConfiguration, ReportingDescriptor,
};

use crate::lint::{Rule, Severity};

/// The level for a severity; there are three.
pub(super) fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "note",
    }
}

pub(super) fn descriptor(rule: &Rule) -> ReportingDescriptor {
    let text = |text: &str| MultiformatMessageString::builder().text(text).build();
    ReportingDescriptor::builder()
        .id(rule.code)
        .name(rule.name)
        .short_description(text(rule.summary))
        .full_description(text(rule.rationale))
        .help(help(rule))
        .default_configuration(configuration(rule))
        .properties(properties(rule))
        .build()
}

fn configuration(rule: &Rule) -> ReportingConfiguration {
    match rule.severity {
        Some(severity) => ReportingConfiguration::builder().enabled(true).level(level(severity)).build(),
        None => ReportingConfiguration::builder().enabled(false).build(),
    }
}

/// The family as a tag, and the severity in the words of code scanning services.
fn properties(rule: &Rule) -> PropertyBag {
    let severity = match rule.severity {
        Some(Severity::Error) => "error",
        Some(Severity::Warning) => "warning",
        Some(Severity::Information | Severity::Hint) | None => "recommendation",
    };
    let more = BTreeMap::from([("problem.severity".to_owned(), severity.into())]);
    PropertyBag::builder().tags(vec![rule.group.as_str().to_owned()]).additional_properties(more).build()
}

fn help(rule: &Rule) -> MultiformatMessageString {
    let (mut text, mut markdown) = (rule.rationale.to_owned(), rule.rationale.to_owned());
    for (title, example) in [("Wrong:", rule.bad), ("Right:", rule.good)] {
        if !example.is_empty() {
            let example = example.trim_end();
            text.push_str(&format!("\n\n{title}\n\n{example}"));
            markdown.push_str(&format!("\n\n{title}\n\n```mangle\n{example}\n```"));
        }
    }
    MultiformatMessageString::builder().text(text).markdown(markdown).build()
}
