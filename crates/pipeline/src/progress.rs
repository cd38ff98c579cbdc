//! Progress reporting. The pipeline prints nothing: the caller passes an implementation that does.

/// Receives the progress of consecutive steps.
pub trait Progress: Send + Sync {
    /// Begins a step; `what` describes it, `total` is its number of units.
    fn start(&self, what: &str, total: u64);
    /// Reports that `units` more units are done.
    fn advance(&self, units: u64);
    /// Ends the step.
    fn finish(&self);
}

/// Ignores all progress.
#[cfg(test)]
pub(crate) struct NoProgress;

#[cfg(test)]
impl Progress for NoProgress {
    fn start(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn finish(&self) {}
}
