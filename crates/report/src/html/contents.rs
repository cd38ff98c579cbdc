//! Contents of an HTML report.

use crate::questions::PageBlock;
use crate::run::RunReport;
use crate::run::provenance::Provenance;
use ragtriage_eval::compare::Comparison;
use ragtriage_eval::curves::Curve;
use ragtriage_eval::summary::Summary;
use ragtriage_runs::SavedRun;

/// Everything that an HTML report shows.
#[derive(Clone, Copy, Debug)]
pub struct HtmlReport<'a> {
    /// The results.
    pub run: &'a RunReport,
    /// The run itself.
    pub saved: &'a SavedRun,
    /// Its figures.
    pub summary: &'a Summary,
    /// Its metrics against k.
    pub curves: &'a [Curve],
    /// The comparison with a baseline, if any.
    pub comparison: Option<&'a Comparison>,
    /// Its questions, the index first; without them the report has no script.
    pub blocks: &'a [PageBlock],
    /// Its provenance.
    pub provenance: &'a Provenance,
}
