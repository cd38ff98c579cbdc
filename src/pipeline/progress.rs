//! How work tells how far it is. The pipeline prints nothing: the shell hands it something that does.

/// Told of one step of work after another.
pub trait Progress: Send + Sync {
    /// A step begins: what it does, and of how many units it is made.
    fn start(&self, what: &str, total: u64);
    /// So many units more are done.
    fn advance(&self, units: u64);
    /// The step is over.
    fn finish(&self);
    /// Something worth telling once.
    fn note(&self, text: &str);
}

/// Tells nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn start(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn finish(&self) {}
    fn note(&self, _: &str) {}
}
