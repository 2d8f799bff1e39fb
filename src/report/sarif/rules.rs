//! The rules of the tool as SARIF's descriptors.

use std::collections::BTreeMap;

use serde_sarif::sarif::{
    MultiformatMessageString, PropertyBag, ReportingConfiguration, ReportingDescriptor,
};

use crate::report::rules::examples;
use mangle_syntax::lint::{Rule, Severity};

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
    let mut descriptor = ReportingDescriptor::builder()
        .id(rule.code)
        .name(rule.name)
        .short_description(text(rule.summary))
        .full_description(text(rule.rationale))
        .help(help(rule))
        .default_configuration(configuration(rule))
        .properties(properties(rule))
        .build();
    descriptor.help_uri = rule.address();
    descriptor
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

/// What the page of the rule says of it.
fn help(rule: &Rule) -> MultiformatMessageString {
    let examples = examples(rule, "Wrong", rule.bad) + &examples(rule, "Right", rule.good);
    let markdown = format!("{}\n\n{examples}", rule.rationale.trim());
    MultiformatMessageString::builder().text(rule.rationale.trim()).markdown(markdown.trim_end()).build()
}
