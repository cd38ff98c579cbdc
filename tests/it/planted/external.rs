//! An external RAG on loopback whose retriever, reader and noise lose known shares of the answers.

use std::collections::HashMap;
use std::net::TcpListener;

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use super::seen;
use super::setting::{Setting, Shape};
use crate::project::Project;
use crate::run_files::{check, class};

/// What the RAG does with a question, planted by its number.
#[derive(Clone, Copy, Debug, Default)]
struct Habits {
    /// Its retriever misses the evidence.
    misses: bool,
    /// Its reader errs whatever it reads.
    errs: bool,
    /// Its reader errs where any context lacks the evidence.
    strays: bool,
}

impl Habits {
    /// Every 5th, 8th and 7th question: 20%, 12.5% and 14.3%, independent of each other but for chance.
    fn of(number: usize) -> Self {
        Self {
            misses: number.is_multiple_of(5),
            errs: number.is_multiple_of(8),
            strays: number.is_multiple_of(7),
        }
    }

    /// The losses of reader, distraction and retrieval, by arithmetic on its habits: it is correct from the gold passages unless
    /// it errs, among others unless it strays too, and from what it retrieved unless it misses as well.
    fn losses(self) -> [f64; 3] {
        let [oracle, in_noise, retrieved] =
            [!self.errs, !self.errs && !self.strays, !self.errs && !self.strays && !self.misses]
                .map(f64::from);
        [1.0 - oracle, oracle - in_noise, in_noise - retrieved]
    }
}

struct Known {
    habits: Habits,
    /// What it retrieves.
    contexts: Vec<String>,
    /// The sentences that it needs.
    needed: Vec<String>,
}

/// The RAG: it reads the name in the last sentence that a question needs from its contexts, if they have all of them.
struct Rag {
    known: HashMap<String, Known>,
    ignores_contexts: bool,
}

impl Rag {
    fn new(setting: &Setting) -> Self {
        let block = |document: usize, at: usize| {
            let document = &setting.documents[document % setting.documents.len()];
            let words: Vec<&str> = document.text.split(' ').collect();
            words[60 * at..60 * at + 60].join(" ")
        };
        let known = setting.questions.iter().enumerate();
        let known = known.map(|(number, question)| {
            let habits = Habits::of(number);
            let mut contexts = Vec::new();
            for group in &question.groups {
                let mut documents = setting.documents.iter();
                let document = documents.position(|document| document.id == group[0].doc);
                let document = document.expect("there");
                let holds = |at: &usize| block(document, *at).contains(&group[0].quote);
                let at = (0..5).find(holds).expect("a block holds it");
                // Then a block of another document.
                contexts.extend([block(document, at), block(document + 2, at)]);
            }
            if habits.misses {
                contexts.remove(contexts.len() - 2);
            }
            let groups = question.groups.iter();
            let known = Known {
                habits,
                contexts,
                needed: groups.map(|group| group[0].quote.clone()).collect(),
            };
            (question.id.clone(), known)
        });
        Self { known: known.collect(), ignores_contexts: false }
    }

    fn respond(&self, asked: &Value) -> Value {
        let id = asked["id"].as_str().expect("an id");
        let known = &self.known[id];
        let given: Option<Vec<String>> = asked["contexts"].as_array().map(|contexts| {
            let texts = contexts.iter().map(|context| context.as_str().expect("a text"));
            texts.map(str::to_owned).collect()
        });
        let read = given.filter(|_| !self.ignores_contexts);
        let read = read.unwrap_or_else(|| known.contexts.clone());
        let answer = Self::read(known, &read);
        // Its one retriever returns what is packed: what is missing there was not retrieved.
        json!({ "id": id, "contexts": read, "stages": {"dense": read}, "answer": answer })
    }

    fn read(known: &Known, contexts: &[String]) -> String {
        let Habits { errs, strays, .. } = known.habits;
        let (last, others) = known.needed.split_last().expect("one at least");
        // The name itself is read, so that another one in its place is read too.
        let (lead, _) = last.split_once(" is ").expect("it says so");
        let lead = &format!("{lead} is ");
        let is_gold = |text: &&String| {
            text.contains(lead) || others.iter().any(|needed| text.contains(needed))
        };
        let has_other = !contexts.iter().all(|text| is_gold(&text));
        let has_all = others.iter().all(|needed| contexts.iter().any(|text| text.contains(needed)));
        let mut said = contexts.iter().filter_map(|text| text.split_once(lead));
        match said.next() {
            Some((_, behind)) if has_all && !errs && !(strays && has_other) => {
                let name: Vec<&str> = behind.split([' ', '.']).take(2).collect();
                name.join(" ")
            }
            _ => "Nemo Nullus".to_owned(),
        }
    }
}

struct Service {
    server: MockServer,
    runtime: Runtime,
}

impl Service {
    fn start(rag: Rag) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let server = runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
            let server = MockServer::builder().listener(listener).start().await;
            let respond = move |request: &Request| {
                let asked: Value = serde_json::from_slice(&request.body).expect("JSON");
                ResponseTemplate::new(200).set_body_json(rag.respond(&asked))
            };
            Mock::given(method("POST")).respond_with(respond).mount(&server).await;
            server
        });
        Self { server, runtime }
    }

    /// The conditions of the requests that had contexts.
    fn conditions(&self) -> HashMap<String, usize> {
        let requests = self.runtime.block_on(self.server.received_requests());
        let mut conditions = HashMap::new();
        for request in requests.expect("recorded") {
            let asked: Value = serde_json::from_slice(&request.body).expect("JSON");
            let condition = asked["condition"].as_str().unwrap_or("retrieved").to_owned();
            *conditions.entry(condition).or_default() += 1;
        }
        conditions
    }

    /// Runs it and returns the report with lines joined.
    fn run(&self, project: &Project, sets: &[&str]) -> String {
        let url = format!("external.url={}/ask", self.server.uri());
        let all = [url.as_str(), "external.answers_contexts=true"];
        let sets = all.iter().chain(sets).flat_map(|set| ["--set", set]);
        let args: Vec<&str> = sets.collect();
        let report = project.good("r", &args).stdout;
        report.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn term(summary: &Value, source: &str) -> f64 {
    let terms = summary["losses"]["budget"]["terms"].as_array().expect("a list");
    let term = terms.iter().find(|term| term["source"] == source);
    term.expect("there")["mean"].as_f64().expect("a number")
}

#[test]
fn the_loss_budget_of_a_service_recovers_what_reader_and_noise_cost() {
    let setting = Setting::new(7, &[(Shape::Plain, 300), (Shape::TwoHop, 100)]);
    let project = setting.project();
    let service = Service::start(Rag::new(&setting));
    let report = service.run(&project, &[]);
    check(&project, "r");
    let summary = project.summary("r");
    assert_eq!(summary["losses"]["budget"]["of"], "correct answers");
    assert_eq!(summary["losses"]["budget"]["n"], 400);
    for (at, source) in ["misread", "ignored_context", "not_retrieved"].iter().enumerate() {
        let losses = (0..400).map(|number| Habits::of(number).losses()[at]);
        let planted = losses.sum::<f64>() / 400.0;
        let found = term(&summary, source);
        seen(&format!("{source}: planted {planted:.4}, found {found:.4}"));
        assert!(
            (found - planted).abs() <= 0.02,
            "{source}: planted {planted:.4}, found {found:.4}"
        );
    }
    // 400 questions; those whose retriever misses have another prompt with gold in noise; ten probes are asked as the oracle.
    let conditions = service.conditions();
    let expected =
        [("retrieved", 400), ("oracle", 410), ("gold_with_distractors", 80), ("closed_book", 200)];
    for (condition, n) in expected {
        assert_eq!(conditions[condition], n, "{condition}: {conditions:?}");
    }
    assert!(!report.contains("ignores the contexts"));
}

#[test]
fn a_service_that_ignores_contexts_is_reported_and_its_conditions_are_left_out() {
    let setting = Setting::new(8, &[(Shape::Plain, 40)]);
    let project = setting.project();
    let rag = Rag { ignores_contexts: true, ..Rag::new(&setting) };
    let report = Service::start(rag).run(&project, &[]);
    assert!(
        report.contains(
            "the service ignores the contexts that it is sent: none of 10 answers over gold passages with a made-up answer"
        ),
        "{}",
        report
    );
    let summary = project.summary("r");
    let conditions: Vec<&String> =
        summary["conditions"].as_object().expect("conditions").keys().collect();
    assert_eq!(conditions, ["retrieved"]);
    assert_eq!(summary["losses"]["budget"]["of"], "correct answers, estimated");
    assert_eq!(class(&summary, "not_retrieved"), 8);
    // The facts stay in the traces.
    let traces = project.read("runs/r/traces.jsonl");
    assert!(traces.contains("\"oracle\"") && traces.contains("\"planted\""));
}
