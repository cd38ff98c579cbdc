//! The runs that most tests look at: a small town's documents, a question for each way to lose an answer, and an endpoint on
//! loopback that answers each question as it was planted, differently where the prompt holds other passages.

use std::path::PathBuf;

use serde_json::Value;
use wiremock::{Request, ResponseTemplate};

use crate::endpoint::{Endpoint, says, sets, user_message};
use crate::project::Project;

/// Chunks of at most 40 tokens, the best six of BM25, three of them for a prompt of at most 100 tokens.
const SETTINGS: &str = "[dataset]\nformat = \"jsonl\"\npath = \"data\"\n\n[chunking]\nsize = 40\noverlap = 0\n\n\
    [retrieval]\nretrievers = [\"bm25\"]\nk = 3\ncandidates = 6\n\n[generation]\ncontext_tokens = 100\n";

/// Titles with white space of every kind: a prompt shows it as single blanks.
const CORPUS: &str = r#"{"id": "harbour", "title": "Harbour  of\tVellmar", "text": "The harbour of Vellmar is fourteen metres deep at low tide."}
{"id": "lighthouse", "title": "Lighthouse", "text": "The lighthouse on Karst Point was built by Ilse Brandt in 1871."}
{"id": "keeper", "title": "Keepers", "text": "Tomas Reik kept the lighthouse on Karst Point, and built its stair."}
{"id": "ferry", "title": "Crossing", "text": "It leaves the quay of Ostra at nine."}
{"id": "hall-1", "title": "Hall", "text": "The town hall of Brim has windows to the north and windows to the south."}
{"id": "hall-2", "title": "Hall", "text": "Windows of the town hall of Brim are washed in May."}
{"id": "hall-3", "title": "Hall", "text": "Who breaks windows of the town hall of Brim pays for them."}
{"id": "hall-4", "title": "Annals", "text": "A mason counted forty-one of them in the hall."}
{"id": "mill-1", "title": "Mill", "text": "The mill of Dorn grinds rye, the mill of Dorn grinds oats, and the wheel of the mill of Dorn, wide as it is, turns from dawn to dusk."}
{"id": "mill-2", "title": "Mill", "text": "The wheel of the mill of Dorn stands by the wide weir of the mill, and the miller of Dorn greases the wheel on each evening of the week."}
{"id": "mill-3", "title": "Mill", "text": "A wheel of oak, eleven ells wide, was put in when the great flood had carried the iron one away; carpenters from Dorn made it in the winter of that year."}
{"id": "charter", "title": "Charter", "text": "The charter of Quell was sealed in the year of the long frost by the abbot, the reeve and the widow Anselma, who gave the meadow, the orchard and both of the fish ponds to the hospital, so that its sick should have fish on every Friday."}
{"id": "signs", "title": "Signs ⚓", "text": "⚓🚢𝒱 é — the signal mast of Nord shows two black cones 🏴 before a gale, and one after it."}
{"id": "bridge", "title": "Bridge", "text": "The bridge of Lenz carries no carts. Its toll is three groats, and the toll has not been raised in sixty years."}
{"id": "ledger", "title": "Ledger", "text": "Three groats a head, it says, and nothing for children."}
{"id": "toll", "title": "Toll", "text": "A toll of three groats is asked at the gate of Lenz as well."}
"#;

const QUESTIONS: &str = r#"{"id": "depth", "text": "How deep is the harbour of Vellmar?", "answers": ["fourteen metres", "14 metres"], "evidence": [[{"doc": "harbour", "quotes": ["fourteen metres deep"]}]], "tags": ["sea", "number"]}
{"id": "builder", "text": "Who built the lighthouse on Karst Point?", "answers": ["Ilse Brandt"], "evidence": [[{"doc": "lighthouse", "quotes": ["built by Ilse Brandt"]}]], "tags": ["sea", "person"]}
{"id": "year", "text": "In which year was the lighthouse on Karst Point built?", "answers": ["1871"], "evidence": [[{"doc": "lighthouse", "quotes": ["in 1871"]}]], "tags": ["sea", "number"]}
{"id": "boat", "text": "When does the boat to the island depart?", "answers": ["nine"], "evidence": [[{"doc": "ferry", "quotes": ["at nine"]}]], "tags": ["sea"]}
{"id": "windows", "text": "How many windows has the town hall of Brim?", "answers": ["forty-one"], "evidence": [[{"doc": "hall-4", "quotes": ["forty-one of them"]}]], "tags": ["town", "number"]}
{"id": "wheel", "text": "How wide is the wheel of the mill of Dorn?", "answers": ["eleven ells"], "evidence": [[{"doc": "mill-3", "quotes": ["eleven ells wide"]}]], "tags": ["town", "number"]}
{"id": "sealed", "text": "Who sealed the charter of Quell?", "answers": ["the abbot, the reeve and the widow Anselma"], "evidence": [[{"doc": "charter", "quotes": ["sealed in the year of the long frost by the abbot, the reeve and the widow Anselma, who gave the meadow, the orchard and both of the fish ponds to the hospital"]}]], "tags": ["town", "person"]}
{"id": "gale", "text": "What does the signal mast of Nord show before a gale?", "answers": ["two black cones"], "evidence": [[{"doc": "signs", "quotes": ["two black cones 🏴 before a gale"]}]], "tags": ["sea"]}
{"id": "carts", "text": "Does the bridge of Lenz carry carts?", "kind": "yes_no", "answers": ["no"], "evidence": [[{"doc": "bridge", "quotes": ["carries no carts"]}]], "tags": ["town"]}
{"id": "toll", "text": "What is the toll of the bridge of Lenz?", "kind": "free", "required": [["three groats", "3 groats"], ["sixty years"]], "forbidden": [["four groats"]], "evidence": [[{"doc": "bridge", "quotes": ["Its toll is three groats"]}]], "tags": ["town"]}
{"id": "gate", "text": "What is asked at the gate of Lenz?", "answers": ["three groats"], "evidence": [[{"doc": "ledger", "quotes": ["Three groats a head"]}]], "tags": ["town", "number"]}
{"id": "moon", "text": "How far is the moon from Lenz?", "kind": "unanswerable"}
{"id": "mayor", "text": "Who is the mayor of Lenz?", "kind": "unanswerable", "tags": ["person"]}
{"id": "silent", "text": "Who kept the lighthouse on Karst Point?", "answers": ["Tomas Reik"], "evidence": [[{"doc": "keeper", "quotes": ["Tomas Reik"]}]], "tags": ["sea", "person"]}
"#;

/// How many questions that are.
pub const N_QUESTIONS: usize = 14;

/// A project with the sample, and the endpoint that its runs ask.
pub struct Sample {
    /// Its folder.
    pub project: Project,
    /// What answers; it keeps every prompt.
    pub endpoint: Endpoint,
}

impl Sample {
    /// With a finished run `first`.
    pub fn new() -> Self {
        let files = [
            ("c.toml", SETTINGS),
            ("data/corpus.jsonl", CORPUS),
            ("data/questions.jsonl", QUESTIONS),
        ];
        let sample = Self { project: Project::of(&files), endpoint: Endpoint::start(None, answer) };
        sample.run("first", &[]);
        sample
    }

    /// A run of that name, with these further arguments.
    pub fn run(&self, name: &str, further: &[&str]) {
        let sets = sets(&self.endpoint.base_url());
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        self.project.good(name, &[&sets[..], further].concat());
    }

    /// The report of `first`.
    pub fn report(&self) -> PathBuf {
        self.project.path("runs/first/report.html")
    }

    /// A question's trace in `first`.
    pub fn trace(&self, id: &str) -> Value {
        let of_id = |trace: &Value| trace["question"]["id"] == id;
        self.project
            .traces("first")
            .into_iter()
            .find(of_id)
            .unwrap_or_else(|| panic!("no trace of {id}"))
    }

    /// The ids of questions of a run, as its page lists them.
    pub fn worst_first(&self, run: &str, ids: &[String]) -> Vec<String> {
        let mut traces = self.project.traces(run);
        traces.sort_by_key(|trace| {
            let class = WORST_FIRST.iter().position(|class| trace["class"] == *class);
            (class.expect("a class"), trace["fault"].as_str().unwrap_or_default().to_owned())
        });
        let sorted = traces.iter().map(|trace| trace["question"]["id"].as_str().expect("text"));
        sorted.map(str::to_owned).filter(|id| ids.contains(id)).collect()
    }

    /// The ids of the questions whose trace in `first` meets a condition, in run order.
    pub fn ids(&self, condition: impl Fn(&Value) -> bool) -> Vec<String> {
        let traces = self.project.traces("first");
        let ids =
            traces.iter().filter(|trace| condition(trace)).map(|trace| &trace["question"]["id"]);
        ids.map(|id| id.as_str().expect("text").to_owned()).collect()
    }
}

/// The failure classes of the sample, the worst first: the earlier the evidence is lost, the worse.
const WORST_FIRST: [&str; 10] = [
    "split",
    "not_retrieved",
    "ranked_low",
    "not_packed",
    "wrong_answer",
    "hallucinated",
    "failed",
    "correct_without_evidence",
    "correct",
    "declined",
];

/// Whether a list of a trace holds a name.
pub fn holds(list: &Value, name: &str) -> bool {
    list.as_array().is_some_and(|names| names.iter().any(|other| other == name))
}

/// The planted answers: what is said depends on what the prompt shows besides.
fn answer(request: &Request) -> ResponseTemplate {
    let prompt = user_message(request);
    let asks = |words: &str| prompt.contains(&format!("Question: {words}"));
    let shows = |words: &str| prompt.contains(words);
    let is_closed_book = shows("(no passages)");
    says(if asks("How deep") {
        "The first passage says so.\nAnswer: fourteen metres"
    } else if asks("Who built") {
        // Distracted by the keeper.
        if shows("Tomas Reik") { "Answer: Tomas Reik" } else { "Answer: Ilse Brandt" }
    } else if asks("In which year") {
        // Known by heart, and talked out of it.
        if is_closed_book { "Answer: 1871" } else { "Answer: 1875" }
    } else if asks("When does the boat") {
        if shows("at nine") { "Answer: nine" } else { "Answer: I don't know" }
    } else if asks("How many windows") {
        if shows("forty-one") { "Answer: forty-one" } else { "Answer: nineteen" }
    } else if asks("How wide") {
        if shows("eleven ells") { "Answer: eleven ells" } else { "Answer: seven ells" }
    } else if asks("Who sealed") {
        // From both halves of the charter alone.
        if shows("to the hospital") {
            "Answer: the abbot, the reeve and the widow Anselma"
        } else {
            "Answer: the abbot"
        }
    } else if asks("What does the signal mast") {
        "Answer: **two black cones** [1]"
    } else if asks("Does the bridge") {
        "Answer: no"
    } else if asks("What is the toll") {
        "Answer: three groats, and it has been so for sixty years"
    } else if asks("What is asked") {
        // Correct without its evidence.
        "Answer: three groats"
    } else if asks("Who is the mayor") {
        "Answer: Jonas Vett"
    } else if asks("How far is the moon") {
        "Answer: I don't know"
    } else {
        // A complaint that repeats what was sent.
        return ResponseTemplate::new(400)
            .set_body_string(format!("this prompt is refused here: {prompt}"));
    })
}
