//! The first configuration file for your own documents, as `ragtriage init` writes it.

use std::path::Path;

use ragtriage_core::text::numbers::{listed, plural, thousands};
use ragtriage_data::dataset::Survey;

/// Documents of which at least this share has headings are cut at them.
const MOSTLY: f64 = 0.5;

/// Returns a configuration file for the documents at `path`, with reasons in comments. It runs offline, without a model.
/// `questions`: the file of the questions, if it is not `questions.jsonl` among them.
pub fn starter(survey: &Survey, path: &Path, questions: Option<&str>) -> String {
    let path = toml::Value::from(&*path.to_string_lossy());
    let questions = match questions {
        Some(file) => format!("  # the documents\nquestions = \"{file}\""),
        None => "  # the documents and questions.jsonl".to_owned(),
    };
    let globs = match &survey.globs[..] {
        [] => String::new(),
        globs => format!("globs = {}\n", toml::Value::from(globs.to_vec())),
    };
    let (strategy, why) = if survey.share_with_headings >= MOSTLY {
        ("markdown", "most documents have headings: cut at them first")
    } else {
        ("recursive", "at paragraphs, sentences, words: the largest that fits")
    };
    let encoder = if survey.language == "en" { "" } else { OTHER_LANGUAGE };
    format!(
        "# Configuration of ragtriage. `ragtriage config show` prints every setting, with the defaults of those that are\n\
         # not set here; `ragtriage schema config` documents them.\n#\n\
         # {}\n\n\
         [dataset]\nformat = \"files\"\npath = {path}{questions}\n{globs}{QUESTIONS}\n\
         [chunking]\nstrategy = \"{strategy}\"  # {why}\n{CHUNKS}\n\
         {RETRIEVAL}{encoder}\n{GENERATION}",
        sentence(survey)
    )
}

const QUESTIONS: &str = "# A question is a line of questions.jsonl:\n\
    # {\"id\": \"q1\", \"text\": \"How long does a silence last?\", \"answers\": [\"4 hours\"],\n\
    #  \"evidence\": [{\"doc\": \"oncall.md\", \"quotes\": [\"It lasts 4 hours at most\"]}]}\n\
    # `ragtriage dataset label` writes such lines from real questions; `ragtriage dataset lint` checks them.\n";

const CHUNKS: &str = "size = 200             # tokens\n\
    overlap = 40           # tokens shared by neighbouring chunks\n";

const RETRIEVAL: &str = "[retrieval]\n\
    retrievers = [\"bm25\"]  # runs offline\n\
    k = 5                  # passages in the prompt\n\
    # Vectors as well, for questions in other words than the documents'; the first run downloads the model (90 MB).\n\
    # It reads 256 of its own tokens, mostly the whole chunk. Label with both: the labels then favour neither.\n\
    # retrievers = [\"bm25\", \"dense\"]\n";

const OTHER_LANGUAGE: &str = "# The default model was trained on English. Name one of the BERT family that knows your language:\n\
    # [retrieval.dense]\n# model = \"sentence-transformers/...\"\n";

const GENERATION: &str = "[generation]\n\
    # generator = \"openai\"  # any OpenAI-compatible endpoint; `ragtriage run --dry-run` estimates its cost\n\
    # base_url = \"http://localhost:11434/v1\"\n\
    # model = \"llama3.1\"\n\
    # api_key_env = \"OPENAI_API_KEY\"  # the name of the variable that holds the key, never the key\n";

/// `214 documents (200 md, 14 rst).`
pub fn sentence(survey: &Survey) -> String {
    let documents = plural(survey.n_documents, "document", "documents");
    let endings = survey.endings.iter();
    let endings = endings.map(|(ending, n)| format!("{} {ending}", thousands(*n)));
    format!("{documents} ({}).", listed(&endings.collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use ragtriage_core::types::RetrieverName;
    use ragtriage_pipeline::settings::Settings;

    fn survey() -> Survey {
        Survey {
            n_documents: 1200,
            globs: vec!["*.md".to_owned(), "*.org".to_owned()],
            endings: BTreeMap::from([("md".to_owned(), 1199), ("org".to_owned(), 1)]),
            code: BTreeMap::from([("py".to_owned(), 3)]),
            wrapped: BTreeMap::from([("pdf".to_owned(), 1)]),
            share_with_headings: 0.5,
            language: "de".to_owned(),
            ..Survey::default()
        }
    }

    #[test]
    fn what_is_written_reads_as_what_was_meant() {
        let settings: Settings =
            toml::from_str(&starter(&survey(), Path::new("my docs"), None)).expect("settings");
        let mut expected = Settings::default();
        expected.dataset.path = "my docs".into();
        expected.retrieval.retrievers = vec![RetrieverName::Bm25];
        expected.dataset.globs = vec!["*.md".to_owned(), "*.org".to_owned()];
        expected.chunking.strategy = ragtriage_core::chunk::Strategy::Markdown;
        assert_eq!(settings, expected);
    }

    #[test]
    fn plain_english_prose_gets_the_defaults() {
        let survey = Survey { language: "en".to_owned(), n_documents: 1, ..Survey::default() };
        let settings: Settings =
            toml::from_str(&starter(&survey, Path::new("."), None)).expect("settings");
        let mut expected = Settings::default();
        expected.retrieval.retrievers = vec![RetrieverName::Bm25];
        assert_eq!(settings, expected);
    }

    #[test]
    fn the_commented_lines_are_settings_too() {
        let uncommented: String = GENERATION
            .lines()
            .map(|line| line.trim_start_matches("# ").to_owned() + "\n")
            .collect();
        let settings: Settings = toml::from_str(&uncommented).expect("settings");
        assert_eq!(settings.generation.generator, ragtriage_core::config::GeneratorName::Openai);
    }
}
