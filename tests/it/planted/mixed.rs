//! Several faults in one run, each on questions of its own.

use super::reader::Conduct;
use super::setting::{BLOCK_WORDS, Setting, Shape};
use super::trial::Trial;

/// Dealt to the questions of one block in turn; what each must be diagnosed as.
const FAULTS: [(Fault, &str); 13] = [
    (Fault::None, "correct"),
    (Fault::Deleted, "corpus"),
    (Fault::Notes(35), "retrieval"),
    (Fault::Notes(8), "ranking"),
    (Fault::Notes(4), "packing"),
    (Fault::Conduct(Conduct::ReadsTheEnd), "packing +server_truncated"),
    (Fault::Conduct(Conduct::IgnoresContext), "generation/reader"),
    (Fault::Conduct(Conduct::ErrsAmongOthers), "generation/context_use"),
    (Fault::Conduct(Conduct::Abstains), "generation/abstained"),
    (Fault::Conduct(Conduct::Refuses), "failed"),
    (Fault::Conduct(Conduct::NeverAnswers), "generation/reader"),
    (Fault::Conduct(Conduct::ForgetsOverPassages), "generation/reader"),
    (Fault::DeletedButKnown, "correct_unsupported"),
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
    trial.expects(&parted, "chunking");

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
