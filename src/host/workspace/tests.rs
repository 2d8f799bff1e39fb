//! The workspace from event to event.
