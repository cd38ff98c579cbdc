//! `ragtriage dataset anchor`: questions with reference answers become labelled questions.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use clap::Args;

use super::source::{self, SourceArgs};
use crate::failure::Failure;
use crate::map::MapArgs;
use crate::output;
use crate::shell::shell;
use ragtriage_core::config::DatasetSettings;
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_core::types::{Note, Question};
use ragtriage_data::dataset::anchor::{self, Anchored, AnswerField, QaPair};
use ragtriage_data::dataset::{Appended, documents, question_line};
use ragtriage_data::run::external::input::Input;

/// Next to the questions file: those that were not anchored.
pub const UNRESOLVED: &str = "unresolved.jsonl";

#[derive(Debug, Args)]
pub struct AnchorArgs {
    /// Questions with reference answers or contexts: JSON, JSON Lines, CSV or TSV.
    ///
    /// Names of Ragas, DeepEval, LlamaIndex, Giskard, AutoRAG, promptfoo, LangSmith and Azure are known, such as `question`,
    /// `user_input`, `reference`, `ground_truth`, `expected_output` and `reference_contexts`; `--map` names others. `id`, `doc` and
    /// `source` are optional.
    #[arg(value_name = "QA")]
    pairs: PathBuf,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    map: MapArgs,
}

pub fn anchor(args: &AnchorArgs) -> Result<(), Failure> {
    let resolved = source::resolve(&args.source)?;
    let spec = resolved.dataset();
    let input = Input::read(&args.pairs)?;
    let (pairs, notes) = anchor::pairs(&input, &args.map.fields()?, AnswerField::Reference)?;
    tell(&notes);
    let (n_anchored, unresolved) = add(&spec, &pairs)?;
    let config = args.source.config.as_deref();
    let config = config.map_or(String::new(), |config| format!(" {}", shell(config)));
    let mut next = String::new();
    if !unresolved.is_empty() {
        next = format!("ragtriage dataset label{config}\n");
    }
    if n_anchored > 0 {
        next = format!("{next}ragtriage run{config}\n");
    }
    if !next.is_empty() {
        output::talk("next:");
    }
    output::data(&next)
}

/// Anchors the pairs, adds the questions to the data set's own file and reports the counts. Returns the number of questions with
/// evidence, and those without.
pub fn add(spec: &DatasetSettings, pairs: &[QaPair]) -> Result<(usize, Vec<Question>), Failure> {
    let documents = documents(spec)?;
    let mut anchored = anchor::anchor(pairs, &documents)?;
    tell(&anchored.notes);
    let path = source::questions_file(spec)?;
    let mut file = Appended::open(&path)?;
    let asked = || {
        let unresolved = anchored.unresolved.iter().map(|it| &it.question);
        anchored.questions.iter().chain(unresolved)
    };
    let n_pairs = asked().count();
    for question in asked() {
        refuse_other(&file, question)?;
    }
    anchored.questions.retain(|question| !file.holds(question));
    anchored.unresolved.retain(|it| !file.holds(&it.question));
    let Anchored { questions, unresolved, .. } = anchored;
    source::tell_known(&path, n_pairs - questions.len() - unresolved.len(), n_pairs);
    let texts: HashMap<&str, &str> =
        documents.iter().map(|it| (it.id.as_str(), it.text.as_str())).collect();
    file.make()?;
    for question in &questions {
        file.append(question, &question_line(question, |doc| texts.get(doc.as_str()).copied()))?;
    }
    let open = path.with_file_name(UNRESOLVED);
    anchor::write_unresolved(&open, &unresolved, &file)?;
    let counted = |n, what: &str, path: &Path| {
        format!("{} {what} in {}", plural(n, "question", "questions"), path.display())
    };
    output::talk(&counted(questions.len(), "anchored", &path));
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for it in &unresolved {
        *reasons.entry(it.reason.explanation()).or_default() += 1;
    }
    if !unresolved.is_empty() {
        let reasons: Vec<String> = reasons.iter().map(|(why, n)| format!("{n} {why}")).collect();
        let counted = counted(unresolved.len(), "unresolved", &open);
        output::talk(&format!("{counted}: {}", reasons.join("; ")));
    }
    Ok((questions.len(), unresolved.into_iter().map(|it| it.question).collect()))
}

fn tell(notes: &[Note]) {
    for note in notes {
        output::talk(&format!("{}: {}", note.label(), thousands(note.count)));
    }
}

/// Refuses a question whose id another one has.
pub fn refuse_other(file: &Appended, question: &Question) -> Result<(), Failure> {
    let Some(known) = file.other_text(question) else {
        return Ok(());
    };
    let (path, id) = (file.path().display(), &question.id);
    Err(Failure::new(
        format!("{path} has question `{id}` as `{known}`, not `{}`", question.text),
        "give one of the two another id",
    ))
}
