//! HTML page about many sessions: violations over time, by rule, role (shard), model and version.
//!
//! A [`Fleet`] adds up the events of a transcript count ([`FleetEvent`]). Its size does not depend
//! on the number of sessions. [`page`] writes one HTML file with SVG charts and without scripts.

mod charts;
mod counts;
mod page;
mod sessions;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use counts::{Bucket, Dimension, Tallies, Timeline, Totals};
use mangle_syntax::lint::Severity;
use piggyback::transcript::statistics::Statistics;
use sessions::SessionBoard;

pub use page::{FleetPage, page};
pub use sessions::{FleetEvent, FleetFile, Origin, OriginTime};

#[derive(Debug, Default)]
pub struct Fleet {
    totals: Totals,
    tallies: [Tallies; 4],
    timeline: Timeline,
    /// Replies and violations by availability of their time.
    dated: DatedCounts,
    board: SessionBoard,
}

/// Counts of events with a time, without a time, and with an unreadable time.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct DatedCounts {
    answers: TimeCounts,
    violations: TimeCounts,
    blocks: TimeCounts,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct TimeCounts {
    dated: u64,
    undated: u64,
    unreadable: u64,
}

impl Fleet {
    /// Starts a file, or a session in memory.
    pub fn begin(&mut self, file: FleetFile) {
        self.board.begin(file);
    }

    /// Counts an event in the current file. `line` is the first line of its record, if known.
    pub fn add(&mut self, origin: &Origin, event: FleetEvent, line: Option<u32>) {
        match event {
            FleetEvent::Answer { said } => self.answer(origin, said),
            FleetEvent::State { change } => self.at(origin, |bucket| bucket.state += change),
            FleetEvent::Blocked => {
                self.dated.blocks.add(origin.time);
                self.board.blocked(origin);
                self.at(origin, |bucket| bucket.blocked += 1);
            }
            FleetEvent::Found { rule, severity } => {
                self.totals.found(severity);
                if severity >= Severity::Warning {
                    let name = format!("{} {}", rule.code, rule.name);
                    self.violation(origin, &name);
                    self.board.violation(origin, line, severity, name);
                }
            }
        }
    }

    /// Ends the current file. `figures` are its statistics, as shown by `stats`; `latest` is the
    /// option of `stats`.
    pub fn end(&mut self, figures: &Statistics, latest: bool) {
        self.totals.add(figures, latest);
        self.totals.sessions += self.board.end();
    }

    fn answer(&mut self, origin: &Origin, said: u64) {
        self.dated.answers.add(origin.time);
        self.board.answer(origin);
        for (dimension, word) in origin.words() {
            self.tallies[dimension as usize].answer(word);
        }
        self.at(origin, |bucket| {
            bucket.answers += 1;
            bucket.said += said;
        });
    }

    fn violation(&mut self, origin: &Origin, rule: &str) {
        self.dated.violations.add(origin.time);
        let words = origin.words().into_iter().chain([(Dimension::Rule, Some(rule))]);
        let numbers: Vec<_> = words
            .map(|(dimension, word)| (dimension as usize, self.tallies[dimension as usize].violation(word)))
            .collect();
        self.at(origin, |bucket| {
            for (dimension, number) in numbers {
                *bucket.violations[dimension].entry(number).or_default() += 1;
            }
        });
    }

    /// Updates the bucket of an origin, if it has a time.
    fn at(&mut self, origin: &Origin, change: impl FnOnce(&mut Bucket)) {
        if let OriginTime::At(second) = origin.time {
            change(self.timeline.bucket(second));
        }
    }

    fn tally(&self, dimension: Dimension) -> &Tallies {
        &self.tallies[dimension as usize]
    }

    /// The violations of the words with these numbers, by the start of their bucket in seconds.
    fn series(&self, dimension: Dimension, numbers: &[u32]) -> BTreeMap<i64, u64> {
        let of = |bucket: &Bucket| -> u64 {
            let all = &bucket.violations[dimension as usize];
            numbers.iter().filter_map(|number| all.get(number)).sum()
        };
        self.timeline.buckets().map(|(second, bucket)| (second, of(bucket))).collect()
    }
}

impl TimeCounts {
    fn add(&mut self, time: OriginTime) {
        match time {
            OriginTime::At(_) => self.dated += 1,
            OriginTime::Absent => self.undated += 1,
            OriginTime::Unreadable => self.unreadable += 1,
        }
    }
}
