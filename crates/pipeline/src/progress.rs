//! Progress reporting. The pipeline prints nothing: the caller passes an implementation that does.

/// Receives the progress of consecutive steps.
pub trait Progress: Send + Sync {
    /// A step begins: what it does, and of how many units it is made.
    fn start(&self, what: &str, total: u64);
    /// Reports that `units` more units are done.
    fn advance(&self, units: u64);
    /// The step is over.
    fn finish(&self);
}
