//! A page about many sessions: what goes wrong in them over time, by rule, shard, model and version.
//!
//! A [`Fleet`] takes what a count of transcripts finds ([`FleetEvent`]), one answer or finding at a time, and keeps sums: its size does not
//! depend on how many sessions there are. [`page`] writes it as one HTML file whose charts are SVG, without scripts.

mod bucket;
mod charts;
mod event;
mod markup;
mod page;
mod sections;
mod sessions;
mod svg;
mod tables;
mod tally;
#[cfg(test)]
mod tests;
mod timeline;
mod totals;

use std::collections::BTreeMap;

pub use event::{FleetEvent, FleetFile, Origin, OriginTime};
pub use page::{FleetPage, page};

use self::bucket::Bucket;
use self::sessions::SessionBoard;
use self::tally::{Dimension, Tallies};
use self::timeline::Timeline;
use self::totals::Totals;
use mangle_syntax::lint::Severity;
use piggyback::transcript::statistics::Statistics;

/// Sums over many sessions.
#[derive(Debug, Default)]
pub struct Fleet {
    totals: Totals,
    tallies: [Tallies; 4],
    timeline: Timeline,
    /// Answers and violations by whether their time is known.
    dated: DatedCounts,
    board: SessionBoard,
}

/// Counts of what has a time, what has none, and what has one that cannot be read.
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
    /// Begins a file, or a session in memory.
    pub fn begin(&mut self, file: FleetFile) {
        self.board.begin(file);
    }

    /// Counts something in the file that was begun. `line` is the line that its record begins at, where that is known.
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

    /// Ends the file: `figures` are those that `stats` shows of it, with `latest` as its option of this name.
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

    /// Changes the bucket of an origin, if it has a time.
    fn at(&mut self, origin: &Origin, change: impl FnOnce(&mut Bucket)) {
        if let OriginTime::At(second) = origin.time {
            change(self.timeline.bucket(second));
        }
    }

    /// The counts of the words of a dimension.
    fn tally(&self, dimension: Dimension) -> &Tallies {
        &self.tallies[dimension as usize]
    }

    /// The violations by the second that their bucket begins with, of the words with some numbers.
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
