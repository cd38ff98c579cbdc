//! What lies where in the cache folder.

/// The generator's replies.
pub const REPLIES: &str = "replies.sqlite";
/// Vectors of texts, and how long the texts are for their encoders.
pub const VECTORS: &str = "vectors.sqlite";
/// Scores of rerankers.
pub const SCORES: &str = "scores.sqlite";
/// Embedded collections of vectors, a folder each.
pub const COLLECTIONS: &str = "collections";
/// Sparse indexes, a file each.
pub const INDEXES: &str = "indexes";
/// Models, a folder each under their owners'.
pub const MODELS: &str = "models";
/// What the name of a process's own folder begins with, which keeps nothing (`--no-cache`); a kill leaves it behind.
pub const SCRATCH: &str = "scratch-";
