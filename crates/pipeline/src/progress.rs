//! Progress reporting. The pipeline prints nothing: the caller passes an implementation that does.

/// Receives the progress of consecutive steps.
pub trait Progress: Send + Sync {
    /// A step begins: its description, and its number of units.
    fn start(&self, what: &str, total: u64);
    /// Reports that `units` more units are done.
    fn advance(&self, units: u64);
    /// The step ends.
    fn finish(&self);
}
