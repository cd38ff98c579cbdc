//! Contents of an HTML report.

use crate::comparison::ComparisonView;
use crate::pictures::Pictures;
use crate::questions::PageBlock;
use crate::run::RunReport;
use crate::run::provenance::Provenance;

/// Everything that an HTML report shows.
#[derive(Clone, Copy, Debug)]
pub struct HtmlReport<'a> {
    /// The results.
    pub run: &'a RunReport,
    /// Its pictures.
    pub pictures: &'a Pictures,
    /// The comparison with a baseline, if any.
    pub comparison: Option<&'a ComparisonView>,
    /// Its questions, the index first; without them the report has no script.
    pub blocks: &'a [PageBlock],
    /// Its provenance.
    pub provenance: &'a Provenance,
}
