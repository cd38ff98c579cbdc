//! Candidate answers of a sentence, found by their form, and the forms that a question asks for.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// The form of a candidate: an index of [`PATTERNS`].
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// In backticks or double quotes.
    Code,
    /// A day, or a month with its year.
    Date,
    /// A year from 1000 to 2099.
    Year,
    /// A number with its unit or currency.
    Quantity,
    /// A number without its unit.
    Count,
    /// A name of two words or more.
    Person,
    /// A name after a preposition of place.
    Place,
    /// Capitalised words that do not open the sentence.
    Name,
    /// Capitalised words that open the sentence, perhaps only for that reason.
    Opening,
}

/// The pattern of each form; a group, if there is one, is the candidate.
const PATTERNS: [&str; 9] = [
    "[`\"“]([^`\"“”]{1,120})[`\"”]",
    r"\b\d{1,2} MONTH(?: \d{4}\b)?|MONTH \d{1,2}\b(?:, \d{4}\b)?|MONTH \d{4}\b",
    r"\b(?:1\d|20)\d\d\b",
    r"(?i)(?:\b(?:eur|usd) |[$€£])NUMBER|NUMBER ?(?:%|UNIT\b)",
    "(?i)NUMBER",
    "CAPITAL(?: CAPITAL)+",
    r"\b(?i:at|from|in|near|on|to) (?:the )?(CAPITAL(?:(?: of| de| van| von| the| &)* CAPITAL)*)",
    r"\w[,;:]? (CAPITAL(?:(?: of| de| van| von| the| &)* CAPITAL)*)",
    r"^\W*(CAPITAL(?:(?: of| de| van| von| the| &)* CAPITAL)*)",
];
const MONTH: &str = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*";
const CAPITAL: &str = r"(?:\b\p{Lu}\. ?|\b\p{Lu}(?:[\w.-]*\w)?)";
const NUMBER: &str = r"\b(?:\d(?:[\d.,:]*\d)?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|thirty|hundred)\b";
const UNIT: &str = "(?:[kmgt]?i?b|m?s|k?m|days?|euros?|dollars|hours?|met(?:er|re)s|miles|min(?:ute)?s?|[mb]illion|months?|percent|seconds?|weeks?|years?)";
/// Nouns after `what` or `which` whose value is a number.
const COUNTED: &str = "(?:age|amount|capacity|cost|duration|height|interval|length|limit|number|percentage|population|port|price|size|threshold|timeout)";
/// Nouns after `what` or `which` that are written as code.
const CODED: &str = "(?:alert|branch|command|endpoint|field|file|flag|host|image|key|label|metric|namespace|option|parameter|path|query|queue|script|service|setting|table|topic|url|variable)";
const NUMBERS: &[Form] = &[Form::Quantity, Form::Count];
const NAMES: &[Form] = &[Form::Person, Form::Name, Form::Opening];
const ANY: &[Form] = &[Form::Code, Form::Person, Form::Name, Form::Opening];
/// Questions by pattern, with the forms of their answers, the preferred first; none: a clause is asked for.
const WANTED: [(&str, &[Form]); 10] = [
    (r"who(?:m|se|'s)?\b", NAMES),
    (r"where\b", &[Form::Place, Form::Name, Form::Code]),
    (r"how many\b", &[Form::Count]),
    (r"wh(?:at|ich) (?:\w+ ){0,3}?COUNTED\b", NUMBERS),
    (r"wh(?:at|ich) year\b", &[Form::Year]),
    (r"when\b|what date\b", &[Form::Date, Form::Year]),
    (r"wh(?:at|ich) (?:\w+ ){0,3}?CODED\b", &[Form::Code]),
    (r"wh(?:at|ich)\b", ANY),
    (r"why\b|how (?:do|does|did|is|are|can|to|should)\b", &[]),
    (r"how\b", NUMBERS),
];
static COMPILED: LazyLock<Vec<Regex>> =
    LazyLock::new(|| PATTERNS.iter().map(|pattern| compile(pattern)).collect());
static QUESTIONS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let patterns = WANTED.iter().map(|(pattern, _)| pattern);
    patterns.map(|of| compile(&format!(r"(?i)\b(?:{of})"))).collect()
});

/// Compiles a constant pattern.
pub(super) fn compile(pattern: &str) -> Regex {
    let pattern = pattern.replace("CAPITAL", CAPITAL).replace("MONTH", MONTH);
    let pattern = pattern.replace("NUMBER", NUMBER).replace("UNIT", UNIT);
    let pattern = pattern.replace("COUNTED", COUNTED).replace("CODED", CODED);
    Regex::new(&pattern).expect("a constant pattern")
}

/// A span that may be an answer.
pub(super) struct Candidate {
    /// Number of wanted forms that are preferred to its own.
    pub n_preferred: usize,
    /// Bytes of the sentence, without backticks or quotes.
    pub range: Range<usize>,
}

/// Returns the forms of the answer to `question`, the preferred first, by its first question word; empty for a clause.
pub(super) fn wanted(question: &str) -> &'static [Form] {
    let found = QUESTIONS.iter().zip(&WANTED);
    let starts =
        found.filter_map(|(pattern, (_, forms))| Some((pattern.find(question)?.start(), *forms)));
    let first = starts.min_by_key(|(start, _)| *start);
    first.map_or(ANY, |(_, forms)| forms)
}

/// Returns the spans of `sentence` that have one of `forms`; they may overlap.
pub(super) fn candidates(sentence: &str, forms: &[Form]) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (n_preferred, form) in forms.iter().enumerate() {
        for groups in COMPILED[*form as usize].captures_iter(sentence) {
            let range = groups.get(1).or(groups.get(0)).map(|span| span.range());
            found.extend(range.map(|range| Candidate { n_preferred, range }));
        }
    }
    found
}
