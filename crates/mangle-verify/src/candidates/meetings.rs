//! What the values of each place meet in the rules.

use std::collections::BTreeSet;

use mangle_engine::kernel::{Clock, Datum, ValueId, Values};

use super::flow::{Flow, Origin};
use super::fresh::Fresh;
use super::graph::{Graph, Meeting, Node};
use super::inverse::inverse;

/// What a place of the inputs meets.
#[derive(Debug, Clone, Default)]
pub(super) struct Finding {
    /// Constants that it meets, and values around those that it is compared with.
    pub(super) values: BTreeSet<ValueId>,
    /// Texts that it is tested with.
    pub(super) tests: Vec<(Meeting, ValueId)>,
    /// Whether it meets another value of a world, or its rows are counted.
    pub(super) is_joined: bool,
    pub(super) is_ordered: bool,
}

/// Two places whose values are compared with each other.
struct Link {
    one: Origin,
    meeting: Meeting,
    other: Origin,
}

/// What the values of each place meet.
pub(super) struct Findings {
    pub(super) all: Vec<Finding>,
}

impl Findings {
    /// Looks at all meetings of a graph.
    pub(super) fn new(graph: &Graph, flow: &Flow, values: &mut Values, clock: Clock, fresh: &Fresh) -> Self {
        let mut findings = Self { all: vec![Finding::default(); flow.places.len()] };
        let mut links = Vec::new();
        for &(one, meeting, other) in &graph.meetings {
            findings.meet(graph, flow, values, (one, meeting, other));
            if matches!(meeting, Meeting::Equal | Meeting::Order) {
                findings.meet(graph, flow, values, (other, meeting, one));
            }
            for one in flow.origins_at(one) {
                links.extend(flow.origins_at(other).into_iter().map(|other| Link { one, meeting, other }));
            }
        }
        for relation in &graph.reduced {
            for (_, node) in graph.columns().iter().filter(|((of, _), _)| of == relation) {
                flow.origins_at(*node).iter().for_each(|origin| findings.join(origin.place));
            }
        }
        findings.link(graph, flow, values, clock, fresh, &links);
        findings
    }

    fn at(&mut self, place: u32) -> Option<&mut Finding> {
        self.all.get_mut(place as usize)
    }

    fn join(&mut self, place: u32) {
        self.at(place).into_iter().for_each(|finding| finding.is_joined = true);
    }

    /// The values of one node meet those of another.
    fn meet(
        &mut self,
        graph: &Graph,
        flow: &Flow,
        values: &mut Values,
        (node, meeting, other): (Node, Meeting, Node),
    ) {
        let met = flow.values_at(other);
        for origin in flow.origins_at(node) {
            for &value in &met {
                match meeting {
                    Meeting::Equal => self.suggest(graph, flow, values, origin, value),
                    Meeting::Order => {
                        self.at(origin.place).into_iter().for_each(|finding| finding.is_ordered = true);
                        for near in around(values, value) {
                            self.suggest(graph, flow, values, origin, near);
                        }
                    }
                    _ => {
                        let test = (meeting, value);
                        if let Some(finding) = self.at(origin.place).filter(|it| !it.tests.contains(&test)) {
                            finding.tests.push(test);
                        }
                    }
                }
            }
        }
    }

    /// A place should have the value that makes its origin equal to `value`.
    fn suggest(&mut self, graph: &Graph, flow: &Flow, values: &mut Values, origin: Origin, value: ValueId) {
        let found = match origin.through {
            None => vec![value],
            Some((computation, arg)) => graph
                .computations
                .get(computation as usize)
                .map_or_else(Vec::new, |computation| inverse(flow, values, computation, arg, value)),
        };
        self.at(origin.place).into_iter().for_each(|finding| finding.values.extend(found.iter().copied()));
    }

    /// Places that meet each other have each other's values.
    fn link(
        &mut self,
        graph: &Graph,
        flow: &Flow,
        values: &mut Values,
        clock: Clock,
        fresh: &Fresh,
        links: &[Link],
    ) {
        for link in links {
            self.join(link.one.place);
            self.join(link.other.place);
            if link.meeting == Meeting::Order {
                for place in [link.one.place, link.other.place] {
                    self.at(place).into_iter().for_each(|finding| finding.is_ordered = true);
                }
            }
        }
        self.share(links);
        let before = self.all.clone();
        let of = |place: u32| before.get(place as usize).cloned().unwrap_or_default().values;
        for link in links.iter().filter(|link| link.one.through.is_some() || link.other.through.is_some()) {
            for (from, to) in [(link.one, link.other), (link.other, link.one)] {
                let known = of(from.place);
                for value in known.iter().chain(&fresh.numbers).chain(&fresh.strings) {
                    for image in image(graph, flow, values, clock, from, *value) {
                        let near = match link.meeting {
                            Meeting::Order => around(values, image),
                            _ => vec![image],
                        };
                        near.into_iter().for_each(|near| self.suggest(graph, flow, values, to, near));
                    }
                }
            }
        }
        self.share(links);
    }

    fn share(&mut self, links: &[Link]) {
        let shared = links.iter().filter(|link| {
            let is_plain = link.one.through.is_none() && link.other.through.is_none();
            is_plain && matches!(link.meeting, Meeting::Equal | Meeting::Order)
        });
        let shared: Vec<&Link> = shared.filter(|link| link.one.place != link.other.place).collect();
        loop {
            let before: usize = self.all.iter().map(|finding| finding.values.len()).sum();
            for link in &shared {
                let mut union = BTreeSet::new();
                for place in [link.one.place, link.other.place] {
                    union.extend(self.all.get(place as usize).into_iter().flat_map(|it| &it.values).copied());
                }
                for place in [link.one.place, link.other.place] {
                    self.at(place).into_iter().for_each(|finding| finding.values.extend(&union));
                }
            }
            if self.all.iter().map(|finding| finding.values.len()).sum::<usize>() == before {
                return;
            }
        }
    }
}

/// What becomes of a value on its way from a place.
fn image(
    graph: &Graph,
    flow: &Flow,
    values: &mut Values,
    clock: Clock,
    origin: Origin,
    value: ValueId,
) -> Vec<ValueId> {
    let Some((number, arg)) = origin.through else { return vec![value] };
    let Some(computation) = graph.computations.get(number as usize) else { return Vec::new() };
    let (before, after) = computation.args.split_at((arg as usize).min(computation.args.len()));
    let mut images = Vec::new();
    for before in flow.arguments(before) {
        for after in flow.arguments(after.get(1..).unwrap_or(&[])) {
            let args: Vec<ValueId> = before.iter().copied().chain([value]).chain(after).collect();
            images.extend(computation.function.apply(values, &args, &clock));
        }
    }
    images
}

/// A value and its neighbours.
fn around(values: &mut Values, value: ValueId) -> Vec<ValueId> {
    let near = |middle: i64| [middle.saturating_sub(1), middle, middle.saturating_add(1)];
    match values.get(value) {
        Datum::Number(number) => near(*number).map(|number| values.number(number)).into(),
        Datum::Time(instant) => near(*instant).map(|instant| values.time(instant)).into(),
        Datum::Duration(length) => near(*length).map(|length| values.duration(length)).into(),
        _ => vec![value],
    }
}
