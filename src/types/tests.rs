//! The lattice, on random types; types as text.

#![allow(clippy::unwrap_used)]
