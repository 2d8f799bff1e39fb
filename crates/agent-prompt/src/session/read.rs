//! Conversion of the tree of a session file to typed values.
//!
//! The key `budget` has two forms: `budget: 300` sets only the tokens; `budget: {tokens: 300, reserved: 30}`
//! sets both.

use super::keys::{OTHER_KEYS, SESSION, SYNONYMS, SessionField, Shape};
use super::tree::{ReadError, TreeKey, TreeKind, TreeNode};
use super::{Count, PriorShard, SessionFile, SessionForm, SessionKey, StepResult, Tool, tree};
use crate::Intent;
use crate::context::reserved_of;
use crate::names::{near_key, quoted};
use crate::origin::{SourcedText, TextSource};
use crate::rules::SESSION_KEY;
use mangle_syntax::lint::{Finding, Fix, Severity};
use mangle_syntax::text::{TextRange, TextSize};

impl SessionFile {
    /// Parses the text of a session file. Invalid values are skipped with a finding.
    #[must_use]
    pub fn read(text: &str, form: SessionForm) -> Self {
        let tree = match form {
            SessionForm::Yaml => tree::parse_yaml(text),
            SessionForm::Json => tree::parse_json(text),
        };
        let mut reader = Reader { file: Self::default(), pointer: String::new() };
        match tree {
            Ok(TreeNode { kind: TreeKind::Null, .. }) => {}
            Ok(node) => reader.file(&node),
            Err(unread) => reader.file.findings.push(unreadable(&unread)),
        }
        reader.file
    }
}

/// The maximum number of keys to list for an unknown key without a suggestion. The documentation
/// lists all keys.
const MAX_LISTED_KEYS: usize = 8;

fn unreadable(unread: &ReadError) -> Finding {
    let range = if unread.range.is_empty() {
        TextRange::at(unread.range.start(), TextSize::new(0))
    } else {
        unread.range
    };
    Finding::new(&SESSION_KEY, range, "session file is not valid")
        .severity(Severity::Error)
        .note(unread.why.clone())
        .note("nothing of it is used")
}

struct Reader {
    file: SessionFile,
    pointer: String,
}

impl Reader {
    fn file(&mut self, node: &TreeNode) {
        let TreeKind::Map(members) = &node.kind else {
            self.wrong(node, "a table of keys and values");
            return;
        };
        for (key, value) in members {
            let Some(field) = SESSION.iter().chain(OTHER_KEYS).find(|field| field.name == key.text) else {
                self.unknown(
                    &key.text,
                    key.range,
                    SESSION.iter().chain(OTHER_KEYS).map(|field| field.name).collect(),
                );
                continue;
            };
            let before = self.enter(&key.text);
            if self.check(value, field.shape) {
                let is_empty = is_empty(value);
                self.file.session.given.push(SessionKey { field, range: key.range, is_empty });
                self.set(field.name, value);
            }
            self.pointer.truncate(before);
        }
    }

    /// Reports an invalid value. Returns true if the value is usable.
    fn check(&mut self, node: &TreeNode, shape: Shape) -> bool {
        let fits = match (&node.kind, shape) {
            (TreeKind::Null, _) => true,
            (TreeKind::Scalar(_), Shape::Text) => true,
            (TreeKind::Scalar(text), Shape::Number | Shape::Budget(_)) => text.trim().parse::<i64>().is_ok(),
            (TreeKind::Scalar(text), Shape::Flag) => flag(text).is_some(),
            (TreeKind::List(nodes), Shape::Texts) => {
                nodes.iter().all(|node| matches!(node.kind, TreeKind::Scalar(_)))
            }
            (TreeKind::Map(members), Shape::TextsByName | Shape::NumbersByName) => {
                members.iter().all(|(_, node)| match &node.kind {
                    TreeKind::Scalar(text) => {
                        shape == Shape::TextsByName || text.trim().parse().is_ok_and(f64::is_finite)
                    }
                    _ => false,
                })
            }
            (TreeKind::Map(_), Shape::Table(fields) | Shape::Budget(fields)) => {
                self.table(node, fields);
                true
            }
            (TreeKind::List(nodes), Shape::Tables(fields)) => {
                let all_tables = nodes.iter().all(|node| matches!(node.kind, TreeKind::Map(_)));
                nodes.iter().for_each(|node| self.table(node, fields));
                all_tables
            }
            _ => false,
        };
        if !fits && !self.wrong_entry(node, shape) {
            self.wrong(node, shape.words());
        }
        fits
    }

    fn table(&mut self, node: &TreeNode, fields: &'static [SessionField]) {
        let TreeKind::Map(members) = &node.kind else { return };
        for (key, value) in members {
            match fields.iter().find(|field| field.name == key.text) {
                Some(field) => drop(self.check(value, field.shape)),
                None => self.unknown(&key.text, key.range, fields.iter().map(|field| field.name).collect()),
            }
        }
    }

    fn unknown(&mut self, key: &str, range: TextRange, known: Vec<&'static str>) {
        let near = near_key(key, &known, SYNONYMS);
        let finding =
            Finding::new(&SESSION_KEY, range, format!("unknown key {}", quoted(key))).note("it is ignored");
        self.file.findings.push(match near {
            Some(near) => finding
                .help(format!("did you mean `{near}`?"))
                .fix(Fix::guess(format!("write `{near}`")).replace(range, near)),
            None if known.len() <= MAX_LISTED_KEYS => {
                finding.note(format!("the keys are {}", listed(&known)))
            }
            None => finding,
        });
    }

    fn wrong(&mut self, node: &TreeNode, expected: &str) {
        let message = format!("expected {expected}, found {}", node.described());
        self.file.findings.push(Finding::new(&SESSION_KEY, node.range, message).note("the value is ignored"));
    }

    /// Reports the invalid entry of a list, which invalidates the whole list. Returns false without
    /// an invalid entry.
    fn wrong_entry(&mut self, node: &TreeNode, shape: Shape) -> bool {
        let TreeKind::List(nodes) = &node.kind else { return false };
        let (expected, fits): (_, fn(&TreeNode) -> bool) = match shape {
            Shape::Texts => ("a text", |node| matches!(node.kind, TreeKind::Scalar(_))),
            Shape::Tables(_) => ("a table of keys and values", |node| matches!(node.kind, TreeKind::Map(_))),
            _ => return false,
        };
        let Some(wrong) = nodes.iter().find(|node| !fits(node)) else { return false };
        let message = format!("expected {expected}, found {}", wrong.described());
        let finding = Finding::new(&SESSION_KEY, wrong.range, message);
        self.file.findings.push(finding.note("the whole list is ignored"));
        true
    }

    /// Appends a key to the pointer. Returns the previous length.
    fn enter(&mut self, key: &str) -> usize {
        let before = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
        before
    }

    fn set(&mut self, name: &str, node: &TreeNode) {
        match name {
            "user_input" => self.file.user_input = self.said(node),
            "campaign_id" => self.file.campaign_id = self.said(node),
            "intent" => self.file.intent = Some(self.intent(node)),
            "results" => {
                self.file.results = self.each(node, |reader, node| StepResult {
                    name: reader.text_in(node, "name"),
                    ok: flag_in(node, "ok"),
                    detail: reader.text_in(node, "detail"),
                    range: node.range,
                    pointer: reader.pointer.clone(),
                });
            }
            "vectors" => {
                let TreeKind::Map(members) = &node.kind else { return };
                let score = |node: &TreeNode| match &node.kind {
                    TreeKind::Scalar(text) => {
                        text.trim().parse().ok().filter(|score: &f64| score.is_finite())
                    }
                    _ => None,
                };
                let id = |key: &TreeKey| SourcedText {
                    text: key.text.clone(),
                    range: key.range,
                    pointer: String::new(),
                    source: TextSource::Session,
                };
                self.file.scored = members.iter().map(|(key, _)| id(key)).collect();
                self.file.vectors =
                    members.iter().filter_map(|(key, node)| Some((key.text.clone(), score(node)?))).collect();
            }
            "budget" => self.file.budget = budget_tokens(node, &mut self.file.findings),
            _ => self.set_session(name, node),
        }
    }

    fn set_session(&mut self, name: &str, node: &TreeNode) {
        let mut session = std::mem::take(&mut self.file.session);
        let place: Option<&mut Vec<SourcedText>> = match name {
            "recent_findings" => Some(&mut session.recent_findings),
            "recent_actions" => Some(&mut session.recent_actions),
            "impacted_files" => Some(&mut session.impacted_files),
            "dependency_context" => Some(&mut session.dependency_context),
            "current_diagnostics" => Some(&mut session.current_diagnostics),
            "task_dependencies" => Some(&mut session.task_dependencies),
            "git_modified_files" => Some(&mut session.git_modified_files),
            "git_recent_commits" => Some(&mut session.git_recent_commits),
            "failing_tests" => Some(&mut session.failing_tests),
            "knowledge_atoms" => Some(&mut session.knowledge_atoms),
            "specialist_hints" => Some(&mut session.specialist_hints),
            "reflection_hits" => Some(&mut session.reflection_hits),
            "blocked_actions" => Some(&mut session.blocked_actions),
            "safety_warnings" => Some(&mut session.safety_warnings),
            _ => None,
        };
        if let Some(place) = place {
            *place = self.each(node, |reader, node| reader.said(node));
        }
        match name {
            "compressed_history" => session.compressed_history = self.said(node),
            "campaign_phase" => session.campaign_phase = self.said(node),
            "campaign_goal" => session.campaign_goal = self.said(node),
            "git_branch" => session.git_branch = self.said(node),
            "test_state" => session.test_state = self.said(node),
            "dream_mode" => session.dream_mode = is_true(node),
            "campaign_active" => session.campaign_active = is_true(node),
            "git_unstaged_count" => session.git_unstaged_count = number(node),
            "tdd_retry_count" => session.tdd_retry_count = number(node),
            "extra_context" => session.extra_context = self.by_name(node),
            "prior_shard_outputs" => session.prior_shard_outputs = self.each(node, Self::prior),
            "available_tools" => session.available_tools = self.each(node, Self::tool),
            _ => {}
        }
        self.file.session = session;
    }

    /// A scalar as text.
    fn said(&mut self, node: &TreeNode) -> SourcedText {
        let text = match &node.kind {
            TreeKind::Scalar(text) => text.clone(),
            _ => String::new(),
        };
        SourcedText { text, range: node.range, pointer: self.pointer.clone(), source: TextSource::Session }
    }

    /// Applies `read` to each element of a list.
    fn each<T>(&mut self, node: &TreeNode, read: impl Fn(&mut Self, &TreeNode) -> T) -> Vec<T> {
        let TreeKind::List(nodes) = &node.kind else { return Vec::new() };
        let mut all = Vec::with_capacity(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            let before = self.enter(&index.to_string());
            all.push(read(self, node));
            self.pointer.truncate(before);
        }
        all
    }

    fn by_name(&mut self, node: &TreeNode) -> Vec<(String, SourcedText)> {
        let TreeKind::Map(members) = &node.kind else { return Vec::new() };
        let mut all = Vec::with_capacity(members.len());
        for (key, node) in members {
            let before = self.enter(&key.text);
            all.push((key.text.clone(), self.said(node)));
            self.pointer.truncate(before);
        }
        all
    }

    fn text_in(&mut self, node: &TreeNode, name: &str) -> SourcedText {
        let before = self.enter(name);
        let said = member(node, name).map(|node| self.said(node)).unwrap_or_default();
        self.pointer.truncate(before);
        said
    }

    fn intent(&mut self, node: &TreeNode) -> Intent {
        Intent {
            id: self.text_in(node, "id"),
            category: self.text_in(node, "category"),
            verb: self.text_in(node, "verb"),
            target: self.text_in(node, "target"),
            constraint: self.text_in(node, "constraint"),
        }
    }

    fn prior(&mut self, node: &TreeNode) -> PriorShard {
        PriorShard {
            shard_type: self.text_in(node, "shard_type"),
            task: self.text_in(node, "task"),
            summary: self.text_in(node, "summary"),
            success: flag_in(node, "success"),
            range: node.range,
            pointer: self.pointer.clone(),
        }
    }

    fn tool(&mut self, node: &TreeNode) -> Tool {
        Tool {
            name: self.text_in(node, "name"),
            description: self.text_in(node, "description"),
            binary_path: self.text_in(node, "binary_path"),
            range: node.range,
            pointer: self.pointer.clone(),
        }
    }
}

fn flag(text: &str) -> Option<bool> {
    match text.trim() {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

fn is_true(node: &TreeNode) -> bool {
    matches!(&node.kind, TreeKind::Scalar(text) if flag(text) == Some(true))
}

fn flag_in(node: &TreeNode, name: &str) -> bool {
    member(node, name).is_some_and(is_true)
}

fn is_empty(node: &TreeNode) -> bool {
    match &node.kind {
        TreeKind::Null => true,
        TreeKind::Scalar(text) => text.is_empty() || flag(text) == Some(false) || text == "0",
        TreeKind::List(nodes) => nodes.is_empty(),
        TreeKind::Map(members) => members.is_empty(),
    }
}

fn listed(keys: &[&str]) -> String {
    keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")
}

/// The valid values of tokens and reserve. Adds findings for invalid values.
fn budget_tokens(node: &TreeNode, findings: &mut Vec<Finding>) -> (Option<u32>, Option<u32>) {
    let (tokens, reserved) = match &node.kind {
        TreeKind::Scalar(_) => (number(node), None),
        _ => (number_in(node, "tokens"), number_in(node, "reserved")),
    };
    let tokens = tokens.and_then(|count| {
        let used = u32::try_from(count.value).ok().filter(|tokens| *tokens > 0);
        if used.is_none() {
            let message = format!("{} tokens are not a valid budget", count.value);
            findings.push(Finding::new(&SESSION_KEY, count.range, message).note("the number is ignored"));
        }
        used
    });
    let reserved = reserved.and_then(|count| reserved_tokens(count, tokens, findings));
    (tokens, reserved)
}

fn reserved_tokens(count: Count, tokens: Option<u32>, findings: &mut Vec<Finding>) -> Option<u32> {
    let Ok(reserved) = u32::try_from(count.value) else {
        let message = format!("{} tokens cannot be reserved", count.value);
        findings.push(Finding::new(&SESSION_KEY, count.range, message).note("the number is ignored"));
        return None;
    };
    if let Some(tokens) = tokens.filter(|tokens| reserved >= *tokens) {
        let message = format!("{reserved} reserved tokens leave nothing of a budget of {tokens}");
        let note = format!("the runtime reserves a tenth instead, {}", reserved_of(tokens, reserved));
        findings.push(Finding::new(&SESSION_KEY, count.range, message).note(note));
    }
    Some(reserved)
}

fn number(node: &TreeNode) -> Option<Count> {
    let TreeKind::Scalar(text) = &node.kind else { return None };
    Some(Count { value: text.trim().parse().ok()?, range: node.range })
}

fn number_in(node: &TreeNode, name: &str) -> Option<Count> {
    member(node, name).and_then(number)
}

fn member<'n>(node: &'n TreeNode, name: &str) -> Option<&'n TreeNode> {
    let TreeKind::Map(members) = &node.kind else { return None };
    members.iter().rev().find(|(key, _)| key.text == name).map(|(_, node)| node)
}
