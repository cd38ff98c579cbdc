//! Several faults in one run, each on questions of its own.

use super::reader::Conduct;
use super::setting::{BLOCK_WORDS, Setting, Shape};
use super::trial::Trial;

/// Dealt to the questions of one block in turn; what each must be diagnosed as.
const FAULTS: [(Fault, &str); 13] = [
    (Fault::None, "correct"),
    (Fault::Deleted, "not_in_corpus"),
    (Fault::Notes(35), "not_retrieved"),
    (Fault::Notes(8), "ranked_low"),
    (Fault::Notes(4), "not_packed"),
    (Fault::Conduct(Conduct::ReadsTheEnd), "not_packed +prompt_truncated"),
    (Fault::Conduct(Conduct::IgnoresContext), "wrong_answer/misread"),
    (Fault::Conduct(Conduct::ErrsAmongOthers), "wrong_answer/ignored_context"),
    (Fault::Conduct(Conduct::Declines), "wrong_answer/declined"),
    (Fault::Conduct(Conduct::Refuses), "failed"),
    (Fault::Conduct(Conduct::NeverAnswers), "wrong_answer/misread"),
    (Fault::Conduct(Conduct::ForgetsOverPassages), "wrong_answer/misread"),
    (Fault::DeletedButKnown, "correct_without_evidence"),
];

#[derive(Clone, Copy)]
enum Fault {
    None,
    Deleted,
    DeletedButKnown,
    /// So many documents that have its words.
    Notes(usize),
    Conduct(Conduct),
}

#[test]
fn faults_side_by_side_are_each_named() {
    mixture().run("mixed");
}

/// Every fault on questions of its own; labels are quotes.
pub fn mixture() -> Trial {
    let shapes = [
        (Shape::Plain, 150),
        (Shape::Aliases, 50),
        (Shape::YesNo, 40),
        (Shape::TwoPlaces, 20),
        (Shape::TwoHop, 30),
        (Shape::Long, 20),
        (Shape::Unanswerable, 10),
    ];
    let mut trial = Trial::new(Setting::new(23, &shapes));
    // Chunks of a block part the long sentences. Three or four passages of a block fit (45 to 60 tokens each), five do not.
    trial.sets.extend(["chunking.size=30", "generation.context_tokens=220"]);
    let parted = trial.setting.ids(|question| question.shape == Shape::Long);
    trial.expects(&parted, "split");

    let one_block = [Shape::Plain, Shape::Aliases, Shape::YesNo, Shape::TwoPlaces];
    let dealt = trial.setting.ids(|question| one_block.contains(&question.shape));
    for (at, (fault, label)) in FAULTS.into_iter().enumerate() {
        let touched: Vec<String> = dealt.iter().skip(at).step_by(FAULTS.len()).cloned().collect();
        trial.expects(&touched, label);
        match fault {
            Fault::None => {}
            Fault::Deleted => trial.setting.delete(&touched),
            Fault::DeletedButKnown => {
                trial.setting.delete(&touched);
                trial.reader.treats(&touched, Conduct::KnowsByHeart);
            }
            Fault::Notes(n) => trial.setting.distract(&touched, n, BLOCK_WORDS),
            Fault::Conduct(conduct) => trial.reader.treats(&touched, conduct),
        }
    }
    let failing: Vec<String> = trial
        .setting
        .ids(|question| question.shape == Shape::TwoHop)
        .into_iter()
        .step_by(3)
        .collect();
    trial.reader.treats(&failing, Conduct::Fails);
    trial.expects(&failing, "failed");
    trial
}
