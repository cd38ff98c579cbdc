//! The page of a run, alone or beside a baseline: what `report` reads, and the file it writes.

use std::path::Path;

use super::{Failure, report};
use crate::eval::compare::pairs::Pairs;
use crate::eval::compare::{self, ComparePlan, Comparison, Subject};
use crate::eval::curves::{self, Curve};
use crate::eval::summary::{self, Evaluation, EvaluationPlan};
use crate::pipeline::sparse::EXPLAINED;
use crate::report::comparison::{self, ComparisonView};
use crate::report::html::{self, Page};
use crate::report::pictures::Pictures;
use crate::report::questions::{Compared, Evaluated, Questions};
use crate::report::record::Record;
use crate::report::view::View;
use crate::settings::assemble;
use crate::store::{RunFolder, SavedRun};

pub(super) use crate::report::questions::Shown;

/// Hits of each ranking that a page holds unless it is told otherwise: those whose scores are explained.
pub(super) const DEPTH: usize = EXPLAINED;
/// The page of a run, in its folder.
pub(super) const FILE: &str = "report.html";
/// Flipped questions of each kind that a comparison in Markdown or a terminal shows.
const FLIPS: usize = 3;

/// A run that is reported.
pub(super) struct Reported {
    pub run: SavedRun,
    pub evaluation: Evaluation,
    plan: EvaluationPlan,
    /// Empty until [`Reported::draw`].
    curves: Vec<Curve>,
    /// What it is compared with.
    pub beside: Option<Beside>,
}

/// A baseline with what came of the comparison.
pub(super) struct Beside {
    pub run: SavedRun,
    pub evaluation: Evaluation,
    pub k: usize,
    pub comparison: Comparison,
    intersect: bool,
    cluster: bool,
}

impl Reported {
    /// The run by its own settings.
    pub fn alone(run: SavedRun, plan: &EvaluationPlan) -> Self {
        let evaluation = summary::evaluate(&run, plan);
        Self { run, evaluation, plan: plan.clone(), curves: Vec::new(), beside: None }
    }

    /// Measures what a page draws and other reports do not; it looks into the texts.
    pub fn draw(&mut self) {
        self.curves = curves::curves(&self.run, &self.evaluation, &self.plan);
    }

    /// Reads the run, and the baseline where there is one: then both are evaluated by the baseline's ruler.
    pub fn load(folder: &RunFolder, baseline: Option<&Path>, intersect: bool, depth: usize) -> Result<Self, Failure> {
        let run = SavedRun::load_with_parts(folder, depth)?;
        let own = assemble::evaluation(&report::recorded_settings(&run.manifest)?);
        let Some(baseline) = baseline else { return Ok(Self::alone(run, &own)) };
        let theirs = SavedRun::load_with_parts(&report::folder_of(baseline), depth)?;
        let settings = report::recorded_settings(&theirs.manifest)?;
        let ruler = assemble::evaluation(&settings);
        let primary = settings.evaluation.primary;
        let plan = ComparePlan { evaluation: ruler.clone(), measures: Vec::new(), primary, intersect };
        let comparison = compare::compare(&theirs, &[Subject { run: &run, k: own.k }], &plan)?;
        let (k, cluster) = (ruler.k, ruler.cluster);
        let evaluation = summary::evaluate(&theirs, &ruler);
        let beside = Beside { run: theirs, evaluation, k, comparison, intersect, cluster };
        let reported = Self::alone(run, &EvaluationPlan { k: own.k, ..ruler });
        Ok(Self { beside: Some(beside), ..reported })
    }

    /// From here on nothing is known of what corpus, golds and answers say.
    pub fn forget_texts(&mut self) {
        self.run.forget_texts();
        self.evaluation.forget_texts();
        if let Some(beside) = &mut self.beside {
            beside.run.forget_texts();
            beside.evaluation.forget_texts();
            beside.comparison.forget_texts();
        }
    }
}

impl Beside {
    /// The comparison for people.
    pub fn view(&self) -> ComparisonView {
        ComparisonView::new(&self.comparison, comparison::Shown { flips: FLIPS, every_cutoff: false })
    }
}

/// The page.
pub(super) fn render(reported: &Reported, shown: Shown) -> String {
    let Reported { run, evaluation, plan, curves, beside } = reported;
    let pairs = beside.as_ref().map(|beside| {
        Pairs::new(&beside.run, run, beside.cluster, beside.intersect)
            .expect("they were paired when they were compared")
    });
    let compared = beside.as_ref().zip(pairs.as_ref()).map(|(beside, pairs)| Compared {
        baseline: Evaluated { run: &beside.run, evaluation: &beside.evaluation, k: beside.k },
        pairs,
        comparison: &beside.comparison.pairs[0],
    });
    let questions = Questions::new(Evaluated { run, evaluation, k: plan.k }, compared, shown);
    let comparison = beside.as_ref().map(Beside::view);
    let view = View::new(run, evaluation);
    html::render(&Page {
        view: &view,
        pictures: &Pictures::new(run, evaluation, curves, &view),
        record: &Record::new(&run.manifest, &evaluation.summary),
        comparison: comparison.as_ref(),
        blocks: &questions.blocks(),
    })
}

/// What the page is called in the run's folder: another name for each kind, so that none overwrites another.
pub(super) fn file_name(reported: &Reported, no_text: bool) -> String {
    let stem = match &reported.beside {
        None => "report".to_owned(),
        Some(beside) => format!("compare-{}", beside.run.manifest.name),
    };
    if no_text { format!("{stem}-no-text.html") } else { format!("{stem}.html") }
}

/// Writes a report where the user wants it: whole or not at all, readable by its owner alone.
pub(super) fn write(file: &Path, content: &str) -> Result<(), Failure> {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned());
    let Some(name) = name else {
        return Err(Failure::new(format!("`{}` is no file name", file.display()), None));
    };
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(RunFolder::existing(folder).write(&name, content.as_bytes())?)
}
