//! How work tells how far it is. The pipeline prints nothing: the shell hands it something that does.

/// Told of one step of work after another.
pub trait Progress: Send + Sync {
    /// A step begins: what it does, and of how many units it is made.
    fn start(&self, what: &str, total: u64);
    /// So many units more are done.
    fn advance(&self, units: u64);
    /// The step is over.
    fn finish(&self);
}
