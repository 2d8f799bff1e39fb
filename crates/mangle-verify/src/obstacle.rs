//! Why a question is not decided.

/// Why a search ended before it was complete.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    /// The time ended.
    #[error("the time ended")]
    Time,
    /// The search was cancelled.
    #[error("the search was cancelled")]
    Cancelled,
    /// A limit on the size of the search was reached.
    #[error("{0}")]
    Size(&'static str),
    /// Whether the evaluation can stop with an error is not known.
    #[error("whether the evaluation can abort is not known: {0}")]
    OfAborts(Box<Obstacle>),
    /// The program uses something that the search does not handle.
    #[error("{0}")]
    Unsupported(String),
}
