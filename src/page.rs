//! The HTML report of a run, alone or compared with a baseline.

use std::path::Path;

use crate::audit;
use crate::failure::Failure;
use crate::run_folder::folder_of;
use ragtriage_eval::audit::{answer_audit, decisions};
use ragtriage_eval::compare::{self, ComparePlan, ComparedRun, Comparison};
use ragtriage_eval::curves::{self, Curve};
use ragtriage_eval::summary::{self, Evaluation, EvaluationPlan};
use ragtriage_pipeline::settings::assemble;
use ragtriage_pipeline::sparse::EXPLAINED;
use ragtriage_report::comparison::{self, ComparisonDetail};
use ragtriage_report::document::Report;
use ragtriage_report::html::{self, HtmlReport};
use ragtriage_report::questions::{Counterparts, Evaluated, Questions};
use ragtriage_report::run::RunReport;
use ragtriage_report::run::provenance::Provenance;
use ragtriage_runs::{RunFolder, SavedRun};

pub(super) use ragtriage_report::questions::PageScope;

/// Default number of hits per ranking: those whose scores are explained.
pub(super) const DEPTH: usize = EXPLAINED;
/// The HTML report in the folder of its run.
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
    /// The baseline that it is compared with.
    pub compared: Option<Compared>,
}

/// A baseline with its comparison.
pub(super) struct Compared {
    pub run: SavedRun,
    pub evaluation: Evaluation,
    pub k: usize,
    pub comparison: Comparison,
    /// The name of its folder.
    name: String,
    counterparts: Counterparts,
}

impl Reported {
    /// Evaluates the run by its own configuration.
    pub fn alone(run: SavedRun, plan: &EvaluationPlan) -> Self {
        let evaluation = summary::evaluate(&run, plan);
        Self { run, evaluation, plan: plan.clone(), curves: Vec::new(), compared: None }
    }

    /// Adds the measures of the audit stored in the run's folder, if there is one.
    pub fn read_audit(&mut self, folder: &RunFolder) -> Result<(), Failure> {
        let (run, plan) = (&self.run, &self.plan);
        let rule = decisions(run, &self.evaluation.outcomes);
        self.evaluation.summary.answer_audit = audit::stored(folder, run)?
            .and_then(|corrections| answer_audit(run, &rule, &corrections, plan));
        Ok(())
    }

    /// Computes the curves that only the HTML report shows; reads the texts.
    pub fn draw(&mut self) {
        self.curves = curves::curves(&self.run, &self.evaluation, &self.plan);
    }

    /// Reads the run, and the baseline where there is one: then both are evaluated by the baseline's ruler.
    pub fn load(
        folder: &RunFolder,
        baseline: Option<&Path>,
        intersect: bool,
        depth: usize,
    ) -> Result<Self, Failure> {
        let run = SavedRun::load_with_parts(folder, depth)?;
        let own = assemble::evaluation(&run.manifest.settings);
        let Some(baseline) = baseline else {
            return Ok(Self::alone(run, &own));
        };
        let folder = folder_of(baseline);
        let theirs = SavedRun::load_with_parts(&folder, depth)?;
        let settings = &theirs.manifest.settings;
        let ruler = assemble::evaluation(settings);
        let primary = settings.evaluation.primary;
        let plan =
            ComparePlan { evaluation: ruler.clone(), measures: Vec::new(), primary, intersect };
        let comparison = compare::compare(&theirs, &[ComparedRun { run: &run, k: own.k }], &plan)?;
        let evaluation = summary::evaluate(&theirs, &ruler);
        let k = ruler.k;
        // What a run packs is measured at its own k too.
        let mut measures = ruler.measures.clone();
        measures.extend(own.measures.iter().filter(|measure| !ruler.measures.contains(measure)));
        let reported = Self::alone(run, &EvaluationPlan { k: own.k, measures, ..ruler });
        let [run, baseline] =
            [(&reported.run, &reported.evaluation, own.k), (&theirs, &evaluation, k)]
                .map(|(run, evaluation, k)| Evaluated { run, evaluation, k });
        let counterparts = Counterparts::new(run, baseline, &comparison.pairs[0]);
        let compared =
            Compared { run: theirs, evaluation, k, comparison, name: folder.name(), counterparts };
        Ok(Self { compared: Some(compared), ..reported })
    }

    /// Removes document text, gold answers and model answers.
    pub fn forget_texts(&mut self) {
        self.run.forget_texts();
        self.evaluation.forget_texts();
        if let Some(compared) = &mut self.compared {
            compared.run.forget_texts();
            compared.evaluation.forget_texts();
            compared.comparison.forget_texts();
        }
    }
}

impl Compared {
    /// The comparison for people.
    pub fn report(&self) -> Report {
        let detail = ComparisonDetail { flips: FLIPS, every_cutoff: false };
        comparison::report(&self.comparison, detail)
    }
}

/// Renders the HTML report.
pub(super) fn render(reported: &Reported, scope: PageScope) -> String {
    let Reported { run, evaluation, plan, curves, compared } = reported;
    let baseline = compared.as_ref().map(|compared| {
        (
            Evaluated { run: &compared.run, evaluation: &compared.evaluation, k: compared.k },
            &compared.counterparts,
        )
    });
    let questions = Questions::new(Evaluated { run, evaluation, k: plan.k }, baseline, scope);
    let report = RunReport::new(run, evaluation);
    html::render(&HtmlReport {
        run: &report,
        saved: run,
        summary: &evaluation.summary,
        curves,
        provenance: &Provenance::new(&run.manifest, &evaluation.summary),
        comparison: compared.as_ref().map(|compared| &compared.comparison),
        blocks: &questions.blocks(),
    })
}

/// Returns the name of the file in the run's folder, different for each kind of report.
pub(super) fn file_name(reported: &Reported, no_text: bool) -> String {
    let stem = match &reported.compared {
        None => "report".to_owned(),
        Some(compared) => format!("compare-{}", compared.name),
    };
    if no_text { format!("{stem}-no-text.html") } else { format!("{stem}.html") }
}
