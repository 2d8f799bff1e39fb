//! Origin of a fact of a session.

use std::fmt;

/// The origin of a fact of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SessionOrigin {
    /// An update of a turn.
    Update {
        /// The number of the turn, from 1.
        turn: u64,
        /// The index of the update in its packet.
        index: usize,
    },
    /// The prefilled values of a turn.
    Prefill(u64),
    /// The intent of a turn.
    Intent(u64),
    /// The hypothesis of a turn.
    Hypothesis(u64),
    /// A memory operation of a turn.
    Memory(u64),
    /// A request of a turn.
    Request(u64),
    /// The denial of a request of a turn.
    Denial(u64),
    /// A `forget` operation of a turn removed the fact.
    Forgotten(u64),
}

impl SessionOrigin {
    /// The number of the turn, from 1.
    #[must_use]
    pub fn turn(self) -> u64 {
        match self {
            Self::Update { turn, .. }
            | Self::Prefill(turn)
            | Self::Intent(turn)
            | Self::Hypothesis(turn)
            | Self::Memory(turn)
            | Self::Request(turn)
            | Self::Denial(turn)
            | Self::Forgotten(turn) => turn,
        }
    }

    /// A sort key: turn, then update.
    pub(super) fn order(self) -> (u64, usize) {
        match self {
            Self::Update { turn, index } => (turn, index),
            other => (other.turn(), usize::MAX),
        }
    }

    /// True if the model asserted the fact itself.
    #[must_use]
    pub fn is_said(self) -> bool {
        matches!(self, Self::Update { .. } | Self::Hypothesis(_) | Self::Memory(_) | Self::Intent(_))
    }
}

impl fmt::Display for SessionOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Update { turn, index } => write!(f, "turn {turn}, update {}", index + 1),
            Self::Prefill(turn) => write!(f, "turn {turn}, filled in"),
            Self::Intent(turn) => write!(f, "turn {turn}, its intent"),
            Self::Hypothesis(turn) => write!(f, "turn {turn}, its hypothesis"),
            Self::Memory(turn) => write!(f, "turn {turn}, a memory operation"),
            Self::Request(turn) => write!(f, "turn {turn}, the request"),
            Self::Denial(turn) => write!(f, "turn {turn}, a denial"),
            Self::Forgotten(turn) => write!(f, "forgotten in turn {turn}"),
        }
    }
}
