//! The rule that put a question in its failure class, as a sentence: which evidence, in which chunks, and how far these
//! came.
//!
//! Chunks are named by their number in their document, as in their ids (from 0); ranges are bytes. Of alternative
//! evidence, the one that came nearest is named. A passage of an external RAG has no number and is named by its id.

use super::delivery::{Delivery, Torn, is_rewritten};
use super::evidence::Evidence;
use crate::text::numbers::{listed, thousands};
use crate::types::{ByteRange, ChunkId, Condition, GoldMember, Stage, Step, SupportRule};

/// Maximum number of chunks named in a sentence.
const MOST_NAMED: usize = 6;

/// Explains what became of the evidence.
pub(super) fn of(delivery: &Delivery<'_>, evidence: Evidence) -> String {
    match evidence {
        Evidence::Untestable => match delivery.test.rule() {
            SupportRule::AnswerString => "no evidence, and no document contains a gold answer",
            _ => "no evidence and no answer string to go by",
        }
        .to_owned(),
        Evidence::Complete => "complete evidence was in the prompt".to_owned(),
        Evidence::Truncated => truncated(delivery),
        Evidence::Lost { at, .. } => lost(delivery, at),
        Evidence::Between { first, last } => {
            let shown = not_shown(delivery);
            format!("{}; {shown} whether {} lost it", lost(delivery, last), any_of(first, last))
        }
        Evidence::Unseen { first } => unseen(delivery, first),
        Evidence::Partial { at, part, .. } => partial(at, part),
    }
}

/// Explains why the result of `stage` lacks evidence.
fn lost(delivery: &Delivery<'_>, stage: Stage) -> String {
    match (stage, delivery.torn(stage)) {
        (Stage::Corpus, _) => absent(delivery),
        _ if !delivery.trace.gold.chunks.holds => unchunked(delivery),
        (_, Some(at)) => torn(delivery, &at),
        (_, None) => missed(delivery, stage),
    }
}

/// Explains why no document holds the evidence.
fn absent(delivery: &Delivery<'_>) -> String {
    let groups = &delivery.trace.gold.groups;
    let absent =
        groups.iter().enumerate().find(|(_, group)| !group.iter().any(|member| member.present));
    let Some((at, group)) = absent else {
        return "no relevant document is in the corpus, or all are empty there".to_owned();
    };
    let docs: Vec<String> = group.iter().map(|member| format!("`{}`", member.doc)).collect();
    let which = of_groups(&[at], groups.len());
    match &docs[..] {
        [doc] => format!("{which}gold document {doc} is not in the corpus, or empty there"),
        _ => format!(
            "{which}gold documents {}, of which one would do, are not in the corpus, or empty there",
            listed(&docs)
        ),
    }
}

/// Explains a prompt of which the server read only the end.
fn truncated(delivery: &Delivery<'_>) -> String {
    let tokens = delivery.trace.attempt(Condition::Retrieved).map(|attempt| attempt.tokens);
    let billed = tokens.and_then(|tokens| tokens.prompt_billed).unwrap_or_default();
    let sent = billed as f64 / delivery.read_share.unwrap_or(1.0);
    format!(
        "the endpoint read {} of about {} prompt tokens, and the end of the prompt lacks the evidence",
        thousands(billed as usize),
        thousands(sent.round() as usize)
    )
}

/// Explains why no chunk holds evidence that a document holds.
fn unchunked(delivery: &Delivery<'_>) -> String {
    let groups = &delivery.trace.gold.groups;
    let without =
        |group: &&Vec<_>| !group.iter().any(|member: &GoldMember| !member.chunks.is_empty());
    match groups.iter().find(without).and_then(|group| group.first()) {
        Some(member) => format!("no chunk holds a byte of the gold of `{}`", member.doc),
        None if delivery.test.rule() == SupportRule::Judged => {
            "no chunk holds a byte of a relevant document".to_owned()
        }
        None if groups.is_empty() => {
            "an answer string is in a document, but whole in no chunk".to_owned()
        }
        None => "an answer string is in a gold document, but whole in no chunk of one".to_owned(),
    }
}

/// Explains a loss at a chunk boundary: the range it cut, and the ranks of the pieces.
fn torn(delivery: &Delivery<'_>, torn: &Torn) -> String {
    let which = of_groups(&[torn.group], delivery.trace.gold.groups.len());
    which + &of_range(delivery, (torn.group, torn.member), torn.range, "")
}

/// Describes where the chunks with a gold range came; only those chunks of another system that were shown are known.
fn of_range(
    delivery: &Delivery<'_>,
    at: (usize, usize),
    range: ByteRange,
    alternatives: &str,
) -> String {
    let doc = &delivery.trace.gold.groups[at.0][at.1].doc;
    let (start, end) = (thousands(range.start), thousands(range.end));
    let whole = delivery.test.holding(at, range);
    let is_cut = whole.is_empty();
    let pieces = if is_cut { delivery.test.pieces(at, range) } else { whole };
    let place = match &pieces[..] {
        [] => "is in no passage that was shown".to_owned(),
        [one] => {
            let part = if is_cut { "in part " } else { "" };
            format!("is {part}in {}, which {}", name(one), came(delivery, one))
        }
        _ => {
            let verb = if is_cut { "cut between" } else { "in each of" };
            format!("is {verb} {}; {}", names(&pieces), places(delivery, &pieces))
        }
    };
    format!("gold range {start}-{end} of `{doc}`{alternatives} {place}")
}

/// Describes evidence of which a record shows neither that it was lost nor that it was in the prompt.
fn unseen(delivery: &Delivery<'_>, first: Stage) -> String {
    let held = match first {
        Stage::Retrieval => "",
        Stage::Ranking => "its complete evidence was among the candidates; ",
        _ => "its complete evidence was in the top k; ",
    };
    let unknown = if delivery.packed.is_empty() {
        "the results do not show the prompt, so"
    } else {
        "most passages of the prompt are in no document, so evidence in them is not seen, and"
    };
    format!("{held}{unknown} {} may have lost it", any_of(first, Stage::Generation))
}

fn not_shown(delivery: &Delivery<'_>) -> &'static str {
    if is_rewritten(delivery.trace) {
        "most of its passages are in no document, so the results do not show"
    } else if delivery.ranking.is_empty() || delivery.ranking.are_known {
        "the results do not show"
    } else {
        "the prompts are not the first of the last recorded ranking, so the results do not show"
    }
}

/// Formats as `retrieval, ranking or packing`.
fn any_of(first: Stage, last: Stage) -> String {
    let stages = Stage::ALL.iter().filter(|stage| (first..=last).contains(stage));
    let mut names: Vec<&str> = stages.map(|stage| stage.name()).collect();
    let end = names.pop().unwrap_or_default();
    if names.is_empty() {
        return end.to_owned();
    }
    format!("{} or {end}", names.join(", "))
}

fn missed(delivery: &Delivery<'_>, stage: Stage) -> String {
    let here = delivery.at(stage);
    let missing = delivery.test.missing_groups(here);
    let Some(&group) = missing.first() else {
        return match delivery.test.rule() {
            SupportRule::Judged => {
                let question = &delivery.trace.question;
                let what = "passage of a relevant document";
                first_of(delivery, what, |id| question.judges_relevant(id.doc()))
            }
            _ => without_answer(delivery, stage),
        };
    };
    let member = nearest(delivery, group);
    let members = &delivery.trace.gold.groups[group];
    let which = of_groups(&missing, delivery.trace.gold.groups.len());
    let alternatives = match members.len() {
        1 => String::new(),
        n => format!(" (nearest of {n} alternatives)"),
    };
    let doc = &members[member].doc;
    if !delivery.test.has_ranges((group, member)) {
        let what = format!("chunk of gold document `{doc}`{alternatives}");
        return which + &first_of(delivery, &what, |id| id.doc() == doc.as_str());
    }
    let ranges = delivery.test.missing_ranges((group, member), here);
    let Some(&range) = ranges.first() else {
        let result = delivered(stage);
        return format!("{which}gold of `{doc}`{alternatives} did not reach the {result}");
    };
    let more = match ranges.len() - 1 {
        0 => String::new(),
        1 => "; 1 more of its gold ranges is missing".to_owned(),
        n => format!("; {} more of its gold ranges are missing", thousands(n)),
    };
    which + &of_range(delivery, (group, member), range, &alternatives) + &more
}

/// Describes how far the best placed of the wanted passages came.
fn first_of(delivery: &Delivery<'_>, what: &str, is_wanted: impl Fn(&ChunkId) -> bool) -> String {
    let mut passages = delivery.ranking.iter().chain(delivery.candidates.iter());
    match passages.find(|id| is_wanted(id)) {
        None => format!("no {what} was among {}", candidates(delivery)),
        Some(best) => format!(
            "the first {what}, {} of `{}`, {}",
            name(best),
            best.doc(),
            came(delivery, best)
        ),
    }
}

/// Describes a stage without any passage that holds an answer string, or, with evidence, without one of the gold
/// documents.
fn without_answer(delivery: &Delivery<'_>, stage: Stage) -> String {
    if delivery.test.rule() == SupportRule::AnswerString {
        let what = "passage that holds an answer string";
        return first_of(delivery, what, |id| delivery.test.holds_answer(id));
    }
    let result = delivered(stage);
    format!("chunks of the gold documents reached the {result}, but none with an answer string")
}

/// Returns the member of a group of which a chunk comes first in the final ranking, else among the candidates; of equals the first.
fn nearest(delivery: &Delivery<'_>, group: usize) -> usize {
    let members = &delivery.trace.gold.groups[group];
    let mut passages = delivery.ranking.iter().chain(delivery.candidates.iter());
    let of = |id: &&ChunkId| members.iter().position(|member| member.chunks.contains(id));
    passages.find_map(of).unwrap_or_default()
}

/// Formats as `chunk 3 has rank 2, chunk 4 was not among 100 candidates`.
fn places(delivery: &Delivery<'_>, chunks: &[&ChunkId]) -> String {
    let places: Vec<String> =
        chunks.iter().take(MOST_NAMED).map(|id| place_of(delivery, id)).collect();
    places.join(", ")
}

fn place_of(delivery: &Delivery<'_>, id: &ChunkId) -> String {
    format!("{} {}", name(id), came(delivery, id))
}

/// Formats as `chunks 3 and 4`; another system's passages by their ids.
fn names(chunks: &[&ChunkId]) -> String {
    let numbers: Option<Vec<String>> =
        chunks.iter().map(|id| Some(id.ordinal()?.to_string())).collect();
    let (lead, mut names) = match numbers {
        Some(numbers) => ("chunks ", numbers),
        None => ("passages ", chunks.iter().map(|id| format!("`{id}`")).collect()),
    };
    if names.len() > MOST_NAMED {
        let n_more = names.len() - MOST_NAMED;
        names.truncate(MOST_NAMED);
        names.push(format!("{n_more} more"));
    }
    format!("{lead}{}", listed(&names))
}

/// Names the evidence that a sentence is about, if there are several groups.
fn of_groups(missing: &[usize], n_groups: usize) -> String {
    match missing {
        _ if n_groups < 2 => String::new(),
        [one] => format!("evidence {} of {n_groups}: ", one + 1),
        _ => format!("{} of {n_groups} pieces of evidence are missing; the first: ", missing.len()),
    }
}

/// Returns the name of the result of `stage`.
fn delivered(stage: Stage) -> &'static str {
    match stage {
        Stage::Corpus => "corpus",
        Stage::Ranking => "top k",
        other => other.result(),
    }
}

/// Describes how far a chunk came.
fn came(delivery: &Delivery<'_>, id: &ChunkId) -> String {
    let top = delivery.top_k().len();
    match delivery.ranking.iter().position(|hit| *hit == id).map(|at| at + 1) {
        Some(rank) if delivery.packed.contains(&id) || !delivery.packed.are_known => {
            format!("has rank {}", thousands(rank))
        }
        Some(rank) if !delivery.ranking.are_known || delivery.k.is_none() => {
            format!("has rank {} but is not in the prompt", thousands(rank))
        }
        Some(rank) if rank <= top => {
            format!("has rank {} but did not fit the prompt", thousands(rank))
        }
        Some(rank) => format!("has rank {}, below the top {}", thousands(rank), thousands(top)),
        None if delivery.packed.contains(&id) => "was packed".to_owned(),
        None if delivery.candidates.contains(&id) && delivery.ranking.is_empty() => {
            "was a candidate".to_owned()
        }
        None if delivery.candidates.contains(&id) => {
            let scored = delivery
                .trace
                .steps
                .iter()
                .rev()
                .find(|step| !matches!(step.step, Step::MinScore | Step::Packed));
            let was_scored = scored.is_some_and(|step| step.hits.iter().any(|hit| hit.id == *id));
            if was_scored {
                "scored below `min_score`"
            } else {
                "was a candidate, but fell out of the final ranking"
            }
            .to_owned()
        }
        None => format!("was not among {}", candidates(delivery)),
    }
}

fn candidates(delivery: &Delivery<'_>) -> String {
    let mut distinct = delivery.candidates.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    match (distinct.len(), delivery.recorded) {
        (1, false) => "1 candidate".to_owned(),
        (n, false) => format!("{} candidates", thousands(n)),
        (1, true) => "1 recorded passage".to_owned(),
        (n, true) => format!("{} recorded passages", thousands(n)),
    }
}

fn name(id: &ChunkId) -> String {
    id.ordinal().map_or_else(|| format!("passage `{id}`"), |number| format!("chunk {number}"))
}

/// Explains a loss of which the readings of a wide label differ: by the strict one it occurred at `strict`, by the lenient
/// one at `lenient`, or not at all.
fn partial(strict: Stage, lenient: Option<Stage>) -> String {
    let place = match lenient {
        None => "in the prompt",
        Some(Stage::Packing | Stage::Generation) => "in the top k",
        Some(_) => "among the candidates",
    };
    let end = match lenient {
        None => "whether it suffices is open".to_owned(),
        Some(stage) => format!("lost at {stage} if it suffices, at {strict} if not"),
    };
    format!("of a label that is wider than a chunk, a part was {place}: {end}")
}
