//! Citations in a reply: `[1]`, `[2, 3]`, `(see document 2)`, `passages 4 and 5`, `【6】`, `[runbook.md]`.
//!
//! Code, addresses and array indexes cite nothing. The content of a bracket is read as any text; in square brackets numbers and names
//! also count alone, in round ones names.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::{Match, Regex};
use serde_json::{Map, Value};

use super::pattern;
use crate::language::{Class, Language};

/// The noun before a number, in all languages: of those without spaces only at the beginning of a bracket or after a space.
static NOUN: LazyLock<String> = LazyLock::new(|| {
    format!(r"\b(?:{})", Language::in_all(|it| &it.cited).collect::<Vec<_>>().join("|"))
});
/// Between the last numbers of a list: `or`, `&`, and of each language its first word for `and`.
static AND: LazyLock<String> = LazyLock::new(|| {
    let and = Language::all().iter().filter_map(|language| language.words(Class::And).next());
    format!("(?:{})", and.chain(["or", "&"]).collect::<Vec<_>>().join("|"))
});
/// One number of at most three digits, of scripts whose code points end with the digit.
const NUMBER: &str = r"[\^#]?[0-9０-９٠-٩۰-۹๐-๙]{1,3}\^?";
/// Keys of an item of a JSON list that may say what it cites.
const KEYS: [&str; 4] = ["id", "number", "document", "title"];
/// Between the ends of a range.
const TO: &str = r"\s*(?:[-–—]|to)\s*";

/// Between the items of a bracket.
const BETWEEN: [char; 5] = [',', ';', '、', '，', '；'];

/// A page next to a citation.
static PAGE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?is)^\s*(?:pp?\.?|pages?|§)\s*\d[\d\s–-]*$"));
/// A number, or the ends of a range.
static NUMBERS: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!("(?is)({NUMBER})(?:{TO}({NUMBER}))?")));
/// A text that is a list of numbers, or the end of one.
static LIST: LazyLock<Regex> = LazyLock::new(|| {
    let (noun, and) = (&*NOUN, &*AND);
    pattern(&format!(r"(?is)^(?:{and}\s)?\s*(?:{noun}s?[\s:.#_]*)?{}$", list()))
});
/// First what cites nothing: blocks of code, code, addresses, indexes, numbers of sections. Then square brackets, with their content
/// and its closing bracket (1), without it (2); round brackets (3, 4); and numbers after a noun: a list before the end of a bracket (5),
/// a list after a plural (6), one number or range (7).
static PLACES: LazyLock<Regex> = LazyLock::new(|| {
    let (noun, list, named) = (&*NOUN, list(), r"(?:n(?:o|r|umber)s?\b\.? ?)?");
    let places = [
        r"```.*?(?:```|\z)|(?m:^)~~~.*?(?:(?m:^)~~~|\z)",
        "`+[^`\n\\[［【][^`\n]*`+|`+[^`\n]*[^`\n\\]］】]`+",
        // `6 m[1]` cites.
        r"\d ?[a-z]\b|\bhttps?://[^\s()]+|(?:^|[\s(*])(?-i:[a-z]|[a-z]\w*_\w*[^\W_])(?:\[[^\[\]]*\])+",
        // `foo()[1]`, `print(arr[1])`.
        r"\w\(\)(?:\[[^\[\]\n]*\])+|\w\([^()\n]*\w\[[^\[\]\n]*\][^()\n]*\)",
        &format!(r"{noun} {named}{NUMBER}\.\d"),
        r"`?[\[［【](([^\[\]［］【】]+)[\]］】])(?:\([^()\s]+\))?`?",
        r"[(（](([^()（）\[\]［］【】]+)[)）])",
        &format!(r"{noun}s?[\s:.#_]*{named}({list})\s*[)）\]］】]"),
        &format!(r"{noun}s:? {named}({list})\b"),
        &format!(r"{noun}s? {named}({NUMBER}(?:[-–]{NUMBER})?)\b"),
    ];
    pattern(&format!("(?is){}", places.join("|")))
});

/// Returns the pattern of a list of numbers and ranges.
fn list() -> String {
    let range = format!("{NUMBER}(?:{TO}{NUMBER})?");
    format!(r"{range}(?:\s*[,;、，]\s*{range})*(?:\s*,?\s+{and}\s+{range})?", and = *AND)
}

/// Returns the text in a fence around all of a reply, which is no code.
fn fenced(reply: &str) -> Option<&str> {
    let inside = reply.trim().strip_prefix("```")?.strip_suffix("```")?;
    Some(inside).filter(|it| !it.contains("```"))
}

/// The passages of a prompt, as a reply can cite them: by number, or by a name in lower case.
pub struct Citable(Vec<[String; 2]>);

impl Citable {
    /// Takes the id and title of each passage's document, in the order of the prompt.
    pub fn new<'a>(passages: impl IntoIterator<Item = [&'a str; 2]>) -> Self {
        let lower = |names: [&str; 2]| names.map(|name| name.trim().to_lowercase());
        Self(passages.into_iter().map(lower).collect())
    }

    /// Returns the numbers that a reply cites, from 1; 0 and numbers beyond the passages are wrong citations. A JSON object cites what
    /// its answer and its list of citations do, any other reply what it cites from the line of `answer` on, else all that it cites.
    #[must_use]
    pub fn cited_by(&self, reply: &str, answer: &str) -> BTreeSet<usize> {
        let (mut cited, mut is_object) = (BTreeSet::new(), false);
        let object = reply.find('{').and_then(|from| reply.get(from..=reply.rfind('}')?));
        let object = object.and_then(|it| serde_json::from_str::<Map<_, _>>(it).ok());
        for (key, value) in object.unwrap_or_default() {
            match key.to_lowercase().as_str() {
                "citations" | "sources" | "references" => drop(self.read_item(&value, &mut cited)),
                "answer" | "final answer" | "final_answer" | "short_answer" | "response"
                | "output" => {
                    self.read(value.as_str().unwrap_or_default(), &mut cited);
                }
                _ => continue,
            }
            is_object = true;
        }
        let reply = fenced(reply).unwrap_or(reply);
        let before = reply.rfind(answer).and_then(|at| reply.get(..at)).unwrap_or_default();
        for from in [before.rfind('\n').unwrap_or(0), 0] {
            if !is_object && cited.is_empty() {
                self.read(reply.get(from..).unwrap_or_default(), &mut cited);
            }
        }
        cited
    }

    /// Returns a text without its citations.
    pub fn without_citations(&self, text: &str) -> String {
        if let Some(fenced) = fenced(text) {
            return format!("```{}```", self.without_citations(fenced));
        }
        let mut places = self.read(text, &mut BTreeSet::new());
        places.sort_by_key(|place| place.start);
        let (mut rest, mut at) = (String::new(), 0);
        for place in places {
            // Two spaces keep the sentences of `It is dry. Document 1 says so.` apart.
            let before = text.get(at..place.start).unwrap_or_default();
            let is_noun = text[place.start..].starts_with(char::is_alphabetic);
            rest += if is_noun { before } else { before.trim_end_matches(' ') };
            at = at.max(place.end);
        }
        rest + text.get(at..).unwrap_or_default()
    }

    /// Returns the places of the citations in a text, and adds their numbers.
    fn read(&self, text: &str, cited: &mut BTreeSet<usize>) -> Vec<Range<usize>> {
        let mut places = Vec::new();
        for found in PLACES.captures_iter(text) {
            let (whole, is_square) = (found.get_match(), found.get(1).is_some());
            let [inside, content] = [1, 2].map(|group| found.get(group).or(found.get(group + 2)));
            if let (Some(inside), Some(content)) = (inside, content) {
                let nested = self.read(inside.as_str(), cited);
                let (mut own, mut start) = (Vec::new(), content.start());
                if !self.is_item(content.as_str(), is_square, cited) {
                    for piece in content.as_str().split_inclusive(BETWEEN) {
                        let item = piece.trim_end_matches(BETWEEN);
                        if self.is_item(item, is_square, cited) {
                            own.push(start..start + item.len());
                        }
                        start += piece.len();
                    }
                    let n_items = content.as_str().split_inclusive(BETWEEN).count();
                    if own.len() < n_items {
                        // What is next to a citation is no part of it.
                        let nested = nested
                            .iter()
                            .map(|it| it.start + inside.start()..it.end + inside.start());
                        places.extend(own.into_iter().chain(nested));
                        continue;
                    }
                }
                places.push(whole.range());
            } else if let Some(list) = (5..8).find_map(|group| found.get(group)) {
                // A verb: `The survey documents 300 species.`
                let noun = text[whole.start()..list.start()].trim_end();
                if noun.ends_with('s') && list.as_str().bytes().all(|it| it.is_ascii_digit()) {
                    continue;
                }
                self.add(list.as_str(), cited);
                places.push(whole.start()..list.end());
            }
        }
        places
    }

    /// Returns true if an item of a bracket is a name or, in square brackets, a list of numbers or a page, and adds the numbers.
    fn is_item(&self, item: &str, is_square: bool, cited: &mut BTreeSet<usize>) -> bool {
        let name = item.trim().to_lowercase();
        let named = |names: &[String; 2]| !name.is_empty() && names.contains(&name);
        let numbers: Vec<usize> =
            (1..).zip(&self.0).filter_map(|(at, names)| named(names).then_some(at)).collect();
        let is_list = numbers.is_empty() && is_square && LIST.is_match(&name);
        if is_list {
            self.add(&name, cited);
        }
        cited.extend(&numbers);
        is_list || !numbers.is_empty() || is_square && PAGE.is_match(&name)
    }

    /// Adds the numbers of a list: of a range those of the prompt, at most 50.
    fn add(&self, list: &str, cited: &mut BTreeSet<usize>) {
        let value = |number: Match<'_>| {
            let digits = number.as_str().chars().filter(|c| c.is_numeric());
            digits.fold(0, |value, digit| value * 10 + (digit as usize & 15))
        };
        for range in NUMBERS.captures_iter(list) {
            let [first, last] = [1, 2].map(|end| range.get(end).map_or(0, value));
            let most = self.0.len().max(first).min(first + 49);
            cited.extend(first..=last.clamp(first, most));
        }
    }

    /// Returns true if an item of a JSON list is a citation, and adds its numbers. Of an object the first key that has one counts.
    fn read_item(&self, item: &Value, cited: &mut BTreeSet<usize>) -> bool {
        match item {
            Value::Array(all) => all.iter().filter(|item| self.read_item(item, cited)).count() > 0,
            Value::Object(_) => KEYS.iter().any(|key| self.read_item(&item[key], cited)),
            Value::String(text) => !self.read(&format!("[{text}]"), cited).is_empty(),
            other => !self.read(&format!("[{other}]"), cited).is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six passages; the second and the last are of one document.
    fn citable() -> Citable {
        let names = [
            ["alpha.md", ""],
            ["runbook.md", "Ferry plan, 2024"],
            ["c.md", "Salt and Pepper"],
            ["d.md", "Mercury (planet)"],
            ["Руководство", " "],
            ["runbook.md", "Ferry plan, 2024"],
        ];
        Citable::new(names)
    }

    fn cited(reply: &str) -> String {
        let cited = citable().cited_by(reply, "no such answer");
        cited.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn markers_nouns_names_and_lists_are_citations() {
        for (reply, expected) in [
            ("Six minutes [1].", "1"),
            ("Six minutes[1]. 六分钟[2]。", "1 2"),
            ("_Six minutes_[1], __ten__[2].", "1 2"),
            ("```markdown\nSix [1].\n```", "1"),
            (r#"{"final_answer": "six [2]"}"#, "2"),
            ("Six [1][3] or seven [2, 4-6].", "1 2 3 4 5 6"),
            ("Six (Document 2; source #3).", "2 3"),
            ("As passage 4 says, six 【5】.", "4 5"),
            ("Six [^7] [doc: 8] [#1].", "1 7 8"),
            ("Six [doc: 1; doc: 3].", "1 3"),
            ("Six [runbook.md].", "2 6"),
            ("Six (Ferry plan, 2024).", "2 6"),
            ("Six [Mercury (planet); 1] (salt and pepper, alpha.md).", "1 3 4"),
            ("Six [РУКОВОДСТВО].", "5"),
            ("Six ([1]) [1](https://x.example/a) [2, p. 3] `[4]`.", "1 2 4"),
            ("`[1]` `x` [2] and `y[3]`", "1 2"),
            ("Six [1 and 3], [4 & 5].", "1 3 4 5"),
            ("Six [1, 3, and 5] [1、4；6].", "1 3 4 5 6"),
            ("Six (see passage 1), (as stated in Document 3).", "1 3"),
            ("Six (Source: Document 1) [see document 4].", "1 4"),
            ("Six (Document 1, 2, and 3).", "1 2 3"),
            ("Six (Document 1, 3).", "1 3"),
            ("Six (Documents 1 and 3).", "1 3"),
            ("Six (document 1, according to passage 3).", "1 3"),
            ("Six (according to document 1, page 2).", "1"),
            ("Six (documents 2 to 4).", "2 3 4"),
            ("Documents 1, 2 and 4, 6 minutes.", "1 2 4"),
            ("According to document 1, 6.", "1"),
            ("According to document no. 1, six (document no 2).", "1 2"),
            ("Passage 2 - 4 seconds. Sources: 5, 6", "2 5 6"),
            ("Six (documents 1, 2; passage 4).", "1 2 4"),
            ("Six [１] ［٣］ 【４】 （文档，document 5）.", "1 3 4 5"),
            ("Six [1, ].", "1"),
            ("6 m[1], the file(s)[2], O(n) [3], Kestrel's[4].", "1 2 3 4"),
            ("Sechs [Quelle 1] (Dokumente 2 und 3).", "1 2 3"),
            ("六分钟 [文档 1] [2 和 3]，文档 4。", "1 2 3 4"),
            ("Seis [fuente 1], según el documento 2 [3 y 4].", "1 2 3 4"),
            ("Six [0] [9].", "0 9"),
            ("Six [4-999] and [8-9].", "4 5 6 8"),
            // Nothing tells these from citations.
            ("95% CI [2, 5], interval [0, 5]", "0 2 5"),
        ] {
            assert_eq!(cited(reply), expected, "{reply}");
        }
    }

    #[test]
    fn other_numbers_and_brackets_are_none() {
        for reply in [
            "Six (6) minutes in 2024.",
            "argv[name] (see below)",
            "[x]",
            "- [ ] open, start( )",
            "page 12",
            "",
            "Six:\n```python\nx = list[1]\n```\n",
            "Six:\n~~~\nlist[1]",
            "From `row[2]` and ``document 3``.",
            "See a[2], (x[0][1]) and my_list[3].",
            "`x` and **y[2]**, foo()[1], print(len(rows[0]), b), [1e5, 2e5]",
            "https://x.example/list[2].html",
            "[Six](https://x.example/list[2].html)",
            "document 1.2 says; [1000] [2.1] (documents 1000)",
            "(3 documents, 4 of 5), the context: 6; or 7",
            "The survey documents 300 species.",
            r#"{"scores": {"a": "x"}}"#,
        ] {
            assert_eq!(cited(reply), "", "{reply}");
        }
    }

    #[test]
    fn json_cites_in_its_answer_and_its_list() {
        for (reply, expected) in [
            (r#"{"answer": "six [4]", "citations": [1, "2", "c.md"]}"#, "1 2 3 4"),
            (r#"{"Answer": "six [1], [3]", "scores": [2, 4]}"#, "1 3"),
            ("So:\n```json\n{\"answer\": \"six\", \"sources\": [\"alpha.md\"]}\n```", "1"),
            (r#"{"answer": "six", "citations": 3}"#, "3"),
            (r#"{"answer": "six", "citations": "[3], [4]"}"#, "3 4"),
            (r#"{"citations": ["[3]", "Document 4", null, "x"]}"#, "3 4"),
            (r#"{"references": [{"id": 1}, {"id": "x", "document": "c.md"}, {"text": 5}]}"#, "1 3"),
            (r#"{"answer": 6, "reasoning": "see [2]"}"#, ""),
        ] {
            assert_eq!(cited(reply), expected, "{reply}");
        }
    }

    #[test]
    fn the_answer_cites_before_the_reasoning() {
        for (reply, answer, expected) in [
            ("[2] is about ferries.\nAnswer: 9 s [1]", "9 s", vec![1]),
            ("[2] is about ferries.\nAnswer: 9 [9]", "9", vec![9]),
            ("Passage 2 says so.\nAnswer: nine", "nine", vec![2]),
            ("Nine [1].\nOr ten [2].", "Nine [1].\nOr ten", vec![1, 2]),
        ] {
            let cited = citable().cited_by(reply, answer);
            assert_eq!(cited.into_iter().collect::<Vec<_>>(), expected, "{reply}");
        }
    }

    #[test]
    fn a_text_without_its_citations_has_no_number_of_theirs() {
        for (text, expected) in [
            ("6 minutes [#1], Kestrel [1](https://x.example/a).", "6 minutes, Kestrel."),
            ("6 `[1]` minutes [1, p. 2]", "6 minutes"),
            ("6 minutes (Document 5)", "6 minutes ()"),
            ("6 minutes (Documents 1 and 3; in 2024)", "6 minutes (; in 2024)"),
            ("6 minutes (runbook.md, 7 of 8)", "6 minutes (, 7 of 8)"),
            ("6 minutes [1, 999 km]", "6 minutes [, 999 km]"),
            ("6 (document 1, alpha.md), see a[2]", "6 (,), see a[2]"),
            ("As passage 4 says, six", "As  says, six"),
            ("6 minutes", "6 minutes"),
        ] {
            assert_eq!(citable().without_citations(text), expected, "{text}");
        }
    }

    #[test]
    fn many_ranges_are_read_once() {
        assert_eq!(cited(&"[1-999]".repeat(3_000)), "1 2 3 4 5 6");
    }
}
