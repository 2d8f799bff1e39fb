//! An HTML report about many sessions.

use rayon::prelude::*;

use super::lines::SessionLines;
use super::verdicts::each_record;
use super::{Checker, Session, SessionTurn, TurnTime};
use mangle_host::{Accounts, TranscriptFigures};
use mangle_report::fleet::{Fleet, FleetEvent, FleetFile, FleetPage, Origin, page};
use piggyback::transcript::statistics::Statistics;

/// The number of sessions that are processed before their counts are added. Limits the memory use.
const AT_ONCE: usize = 256;

/// The events and statistics of a session, in order.
struct SessionCounts {
    events: Vec<(Origin, FleetEvent)>,
    figures: Statistics,
}

impl Checker {
    /// Renders a self-contained HTML report about sessions, with the counts of [`Checker::check`],
    /// [`Checker::replay`] and [`Checker::stats`].
    #[must_use]
    pub fn report(&self, sessions: &[Session<'_>], title: Option<&str>) -> String {
        let mut fleet = Fleet::default();
        for some in sessions.chunks(AT_ONCE) {
            let counts: Vec<_> = some.par_iter().map(|session| self.counts(session)).collect();
            for (session, SessionCounts { events, figures }) in some.iter().zip(counts) {
                fleet.begin(FleetFile { name: session.id.clone(), link: None, unit: "turn" });
                for (origin, event) in events {
                    fleet.add(&origin, event, None);
                }
                fleet.end(&figures, false);
            }
        }
        page(FleetPage { fleet: &fleet, title, date: None, unread: 0, mark: None })
    }

    fn counts(&self, session: &Session<'_>) -> SessionCounts {
        let lines = self.lines(session);
        let mut events = Vec::new();
        let mut see = |origin: Origin, event| events.push((with_labels(origin, session, &lines), event));
        let mut figures = TranscriptFigures::new(&self.template, self.knowledges.judge(&self.template));
        let mut accounts = Accounts::new(self.programs(), &self.policies);
        let summary = each_record(&self.template, &lines, &mut |record| {
            figures.record_with(record, &mut accounts, &mut see);
        });
        let figures = figures.finish_with(&summary, &mut see);
        SessionCounts { events, figures }
    }
}

/// Adds the labels of a turn to the origin of an event.
fn with_labels(origin: Origin, session: &Session<'_>, lines: &SessionLines) -> Origin {
    let line = origin.record.and_then(|record| u64::try_from(record).ok());
    let turn = line.and_then(|line| session.turns.get(lines.turn_of_line(line)?));
    let Some(SessionTurn { turn, labels, .. }) = turn else {
        return Origin { record: None, ..origin };
    };
    let mut origin = Origin { record: Some(*turn), ..origin };
    if labels.time != TurnTime::Absent {
        origin.time = labels.time;
    }
    let text = |word: Option<&str>, own: Option<String>| word.map(str::to_owned).or(own);
    origin.labels.model = text(labels.model, origin.labels.model);
    origin.labels.shard = text(labels.shard, origin.labels.shard);
    origin.version = text(labels.version, origin.version);
    origin
}
