//! What `check` says of a folder and what the server says of it are the same: every finding with its severity, its place,
//! its notes and its fix, while the files are closed, open, edited, and closed again.

mod command_line;
mod layouts;
mod material;
mod server;

use crate::support;

use std::collections::BTreeSet;

use material::Material;
use rayon::prelude::*;
use serde_json::Value;
use server::Server;
use support::Random;

/// How many edits are made in all folders together.
const EDITS: usize = 300;

#[test]
fn closed_files_have_the_findings_of_a_check() {
    let all = material::all().into_par_iter().chain(material::examples_of_rules());
    let differences = all.flat_map_iter(|material| {
        let mut server = Server::new(material.folder());
        compare(&material, &mut server, "closed")
    });
    report(&differences.collect::<Vec<_>>());
}

#[test]
fn open_and_edited_files_have_the_findings_of_a_check() {
    let all = material::all();
    let each = EDITS.div_ceil(all.len());
    let differences = all.into_par_iter().enumerate().flat_map_iter(|(seed, material)| {
        let mut dice = Random::seeded(seed as u64);
        let mut server = Server::new(material.folder());
        for name in material.names() {
            server.open(&name, &material.text(&name));
        }
        let mut found = compare(&material, &mut server, "open");
        for _ in 0..each {
            let (name, text) = material.edit(&mut dice);
            server.replace(&name, &text);
        }
        found.extend(compare(&material, &mut server, "edited"));
        material.names().iter().for_each(|name| server.close(name));
        found.extend(compare(&material, &mut server, "closed after edits"));
        found
    });
    report(&differences.collect::<Vec<_>>());
}

/// The findings of each rule in files that editors show otherwise than they are. Places differ by what editors hide.
#[test]
fn files_that_editors_show_otherwise_have_findings_of_the_same_rules() {
    // Bytes that are no text are no longer there in an editor.
    const OF_BYTES: [&str; 1] = ["record-invalid-utf8"];
    let rules = |findings: BTreeSet<String>| -> Vec<String> {
        let rule =
            |line: String| serde_json::from_str::<Value>(&line).unwrap()["rule"].as_str().unwrap().to_owned();
        let mut rules: Vec<_> = findings.into_iter().map(rule).collect();
        rules.retain(|rule| !OF_BYTES.contains(&rule.as_str()));
        rules.sort();
        rules
    };
    let all = material::shown_otherwise();
    assert!(all.len() > 10, "the material was not found");
    for material in all {
        let expected = rules(command_line::findings(material.folder()));
        let found = rules(Server::new(material.folder()).findings());
        assert_eq!(found, expected, "{}", material.name);
    }
}

/// What only one of the two finds, a line each.
fn compare(material: &Material, server: &mut Server, when: &str) -> Vec<String> {
    let expected: BTreeSet<String> = command_line::findings(material.folder());
    let found: BTreeSet<String> = server.findings();
    let only = |who: &str, line: &String| format!("{}, {when}: only {who}: {line}", material.name);
    let missing = expected.difference(&found).map(|line| only("check", line));
    missing.chain(found.difference(&expected).map(|line| only("server", line))).collect()
}

#[track_caller]
fn report(differences: &[String]) {
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
}
