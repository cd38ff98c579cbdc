//! Gold evidence in other chunks than the contexts', and the texts that prompts show.

use super::*;
use async_trait::async_trait;
use ragtriage_clients::llm::{Completion, Generator};
use ragtriage_core::attribute::support::SupportTest;
use ragtriage_core::chunk::Strategy;
use ragtriage_core::config::Price;
use ragtriage_core::prompt::Template;
use ragtriage_core::text::tokens::{self, Tokenizer};
use ragtriage_core::types::{Member, Passage, QuestionKind};

const TEXT: &str = "one two\n\nthree four  five six";

/// A generator that is not asked.
struct Silent;

#[async_trait]
impl Generator for Silent {
    fn name(&self) -> &'static str {
        "silent"
    }

    async fn generate(&self, _: &Prompt) -> Result<Completion, ModelError> {
        Err(ModelError::contract("silent", "nothing"))
    }
}

fn plan() -> ConditionPlan {
    let counter = tokens::counter(Tokenizer::Words, None).expect("built in");
    let template = Template::built_in("short-answer").expect("built in");
    ConditionPlan {
        calls: Calls::new(
            Answerer::Generator(Arc::new(Silent)),
            Arc::clone(&counter),
            Price::default(),
            1,
        ),
        conditions: PlannedCondition { names: vec![Condition::Oracle], seed: 0 },
        chunking: ChunkSpec::new(Strategy::Fixed, 2, 0, Tokenizer::Words).expect("valid"),
        chunk_counter: Arc::clone(&counter),
        prompt: PromptPlan {
            template: Template::parse(template).expect("valid"),
            counter,
            context_tokens: 1000,
        },
        titles: true,
        k: 5,
        closed_book: HashSet::new(),
        probed: HashSet::new(),
    }
}

/// The range 4..18 is `two\n\nthree four`.
fn question() -> Question {
    let member = Member { doc: "d".into(), ranges: vec![ByteRange::new(4, 19)] };
    Question {
        kind: QuestionKind::Span,
        answers: vec!["two".to_owned()],
        evidence: vec![vec![member]],
        ..Question::new("q".into(), "which?".to_owned())
    }
}

fn corpus() -> Corpus {
    let document = |id: &str| Document {
        id: id.into(),
        title: "T".to_owned(),
        text: TEXT.to_owned(),
        metadata: [].into(),
    };
    let documents = vec![document("c"), document("d")];
    let chunks = plan().gold_chunks(&documents, [question()].iter());
    let chunks = chunks.expect("the documents are cut");
    Corpus::new(documents, chunks).named_by_range()
}

fn passage(id: &str, range: (usize, usize)) -> Passage {
    let range = ByteRange::from(range);
    Passage {
        id: id.into(),
        doc: "d".into(),
        title: "T".to_owned(),
        range,
        text: TEXT[range.as_range()].to_owned(),
        tokens: None,
    }
}

#[test]
fn only_gold_documents_are_cut_and_their_chunks_are_named_by_range() {
    let corpus = corpus();
    let ids: Vec<String> = corpus.chunk_ids().map(|id| id.to_string()).collect();
    // Two words each: `one two`, `three four`, `five six`.
    assert_eq!(ids, ["d#0-7", "d#9-19", "d#21-29"]);
}

#[test]
fn contexts_hold_gold_whose_white_space_they_leave_out_where_the_chunks_do_not() {
    let (corpus, question) = (corpus(), question());
    let gold = located(&question, &corpus);
    let contexts =
        [passage("d#0-14", (0, 14)), passage("d#15-29", (15, 29)), passage("d#0-13", (0, 13))];
    let passages: PassageMap =
        contexts.iter().map(|passage| (passage.id.clone(), passage.clone())).collect();
    let both = BothSources { passages: &passages, corpus: &corpus };
    let test = SupportTest::new(&question, &gold.groups, &both);
    let holds = |ids: [&str; 2]| {
        let ids = ids.map(ChunkId::from);
        test.of(&ids).holds
    };
    // The blank between `three` and `four` is in no context; the `e` of `three` is needed.
    assert!(holds(["d#0-14", "d#15-29"]));
    assert!(!holds(["d#0-13", "d#15-29"]));
    assert!(holds(["d#0-7", "d#9-19"]), "two chunks");
    assert!(holds(["d#0-14", "d#9-19"]), "one of each");
}

#[test]
fn a_context_is_shown_as_recorded_and_once_and_a_chunk_with_its_title() {
    let (corpus, plan) = (corpus(), plan());
    let context = |text: &str, title: Option<&str>| RecordedHit {
        text: Some(text.to_owned()),
        title: title.map(str::to_owned),
        ..RecordedHit::default()
    };
    let contexts = [
        context("T\none  two", None),
        context("three four", Some("Their title")),
        context("[cleaned] five", None),
    ];
    let cleaned = |id: &str| Passage { text: "[cleaned] five".to_owned(), ..passage(id, (21, 25)) };
    let shown = [
        passage("d#0-7", (0, 7)),
        passage("d#9-19", (9, 19)),
        cleaned("d#21-25~1"),
        cleaned("d#26-29~1"),
    ];
    let passages: PassageMap =
        shown.iter().map(|passage| (passage.id.clone(), passage.clone())).collect();
    let texts = ShownTexts {
        recorded: contexts
            .iter()
            .filter_map(|context| Some((one_spaced(context.text.as_deref()?), context)))
            .collect(),
        sources: BothSources { passages: &passages, corpus: &corpus },
        plan: &plan,
    };
    let ids = ["d#0-7", "d#9-19", "d#21-25~1", "d#26-29~1", "d#21-29"].map(ChunkId::from);
    let shown: Vec<(String, String)> =
        texts.shown(&ids).into_iter().map(|passage| (passage.title, passage.text)).collect();
    let expected = [
        ("", "T\none  two"),
        ("Their title", "three four"),
        // A context with the gold text of two ranges is one context.
        ("", "[cleaned] five"),
        ("T", "five six"),
    ];
    assert_eq!(shown, expected.map(|(title, text)| (title.to_owned(), text.to_owned())));
}
