//! Envelopes of another version than those around them: `PB107`.

use super::examples::{reply, session};
use super::{MOST_SHOWN, Now};
use crate::config::Profile;
use crate::lint::{Finding, FixKind, Group, Rule, Severity};
use crate::text::TextRange;
use crate::transcript::check::Found;

pub(super) const RULES: &[&Rule] = &[&PROFILE_OUTLIER];

/// An envelope of another version.
static PROFILE_OUTLIER: Rule = Rule {
    code: "PB107",
    name: "profile-outlier",
    group: Group::Fields,
    severity: Some(Severity::Warning),
    summary: "An envelope is of another version than most of its file.",
    rationale: "Members of another version are ignored by the runtime. One such envelope among others mostly means \
                that the model was shown an old example. A profile that the settings name ends the guessing.",
    bad: session!(
        reply!("", "\"memory_operations\":[],\"tool_requests\":[]", "Looking."),
        reply!("", "\"memory_operations\":[],\"tool_requests\":[]", "Still looking."),
        reply!("", "\"memory_operations\":[],\"abductive_hypothesis\":\"none\"", "There it is."),
    ),
    good: session!(
        reply!("", "\"memory_operations\":[],\"tool_requests\":[]", "Looking."),
        reply!("", "\"memory_operations\":[],\"tool_requests\":[]", "Still looking."),
        reply!("", "\"memory_operations\":[]", "There it is."),
    ),
    fix: FixKind::None,
};

/// How many envelopes there are of each version, and the first of each.
#[derive(Debug)]
pub(super) struct Profiles {
    is_given: bool,
    counts: [u64; Profile::ALL.len()],
    first: [Vec<Found>; Profile::ALL.len()],
}

impl Profiles {
    pub(super) fn new(is_given: bool) -> Self {
        Self { is_given, counts: [0; Profile::ALL.len()], first: Default::default() }
    }

    pub(super) fn reply(&mut self, now: &Now<'_>) {
        if self.is_given || !now.reply.is_picked {
            return;
        }
        // What has no mark of a version counts as current, and fits anywhere.
        let profile = now.reply.profile.unwrap_or(Profile::Current);
        let at = index(profile);
        if let Some(count) = self.counts.get_mut(at) {
            *count += 1;
        }
        if now.reply.profile.is_some()
            && let Some(first) = self.first.get_mut(at).filter(|first| first.len() < MOST_SHOWN)
        {
            // What it says is known when all of the file is.
            first.push(now.found(Finding::new(&PROFILE_OUTLIER, place(now), String::new()), ""));
        }
    }

    pub(super) fn finish(self, out: &mut Vec<Found>) {
        let most = self.counts.iter().copied().max().unwrap_or(0);
        let total: u64 = self.counts.iter().sum();
        // Without a majority nobody is the exception.
        if most * 2 <= total {
            return;
        }
        let Some(usual) = self.counts.iter().position(|count| *count == most) else { return };
        let usual = Profile::ALL.get(usual).copied().unwrap_or(Profile::Current);
        let mut outliers: Vec<Found> = Vec::new();
        for (profile, first) in
            Profile::ALL.into_iter().zip(self.first).filter(|(profile, _)| *profile != usual)
        {
            outliers.extend(first.into_iter().map(|mut found| {
                found.finding.message =
                    format!("this envelope looks like {profile}, most of the file like {usual}");
                found
            }));
        }
        outliers.sort_by_key(|found| (found.start, found.finding.range.start()));
        outliers.truncate(MOST_SHOWN);
        out.extend(outliers);
    }
}

fn index(profile: Profile) -> usize {
    Profile::ALL.iter().position(|one| *one == profile).unwrap_or_default()
}

fn place(now: &Now<'_>) -> TextRange {
    now.reply.brace
}
