//! Floor 2, statistics: seeded, pure, each with its source.

pub mod bootstrap;
pub mod cluster;
pub mod median;
pub mod random;
pub mod wilson;
