//! Pairs whose correctness follows from the words: one of each kind, from field reports and the languages with data.

use super::declined::declines;
use super::{Correctness, Judge, declines_to_answer, unsupported_values};
use crate::language::Language;
use crate::metric::answer::{Scorer, groundedness};
use crate::types::{Question, QuestionKind, Stance};

use Correctness::{Correct, Unsure, Wrong};

fn judged(language: &str, question: &str, gold: &[&str], answer: &str) -> Correctness {
    let language = Language::of(language);
    let judge = Judge { scorer: Scorer::Squad2, language };
    let question = Question {
        kind: QuestionKind::Span,
        answers: gold.iter().map(|gold| (*gold).to_owned()).collect(),
        ..Question::new("q".into(), question.to_owned())
    };
    judge.judge(&question, answer, Stance::Answered).expect("a gold answer").correctness
}

/// Language, question, gold answer, answer, decision.
type Case = (&'static str, &'static str, &'static str, &'static str, Correctness);

fn check(cases: &[Case]) {
    let failed: Vec<String> = cases
        .iter()
        .filter_map(|(language, question, gold, answer, expected)| {
            let found = judged(language, question, &[gold], answer);
            (found != *expected).then(|| format!("{gold} | {answer}: {found}, not {expected}"))
        })
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn values_are_equal_in_any_notation_and_never_with_another_unit_or_limit() {
    check(&[
        ("en", "How long does a deploy take?", "6 minutes", "six minutes", Correct),
        (
            "en",
            "How long does a deploy take?",
            "90 seconds",
            "The deploy takes 1 min 30 s.",
            Correct,
        ),
        ("en", "How many people live there?", "3.5 million", "3,500,000", Correct),
        ("en", "What does it cost?", "EUR 4.95", "4,95 €", Correct),
        ("en", "What does it cost?", "$0.42", "42 cents", Correct),
        ("en", "When did it erupt?", "18 May 1980", "It erupted on 1980-05-18.", Correct),
        ("en", "When does it start?", "3 pm", "15:00", Correct),
        ("en", "What range is allowed?", "10-20", "between 10 and 20", Correct),
        ("en", "What share voted for it?", "75%", "three quarters", Correct),
        ("en", "What is the maximum dose?", "4 g", "You should not take more than 4 g.", Correct),
        ("en", "How many?", "three", "three days per week", Correct),
        (
            "en",
            "How long does it take?",
            "6 minutes",
            "6 minutes [1, 2, and 3], [#1 or 4]",
            Correct,
        ),
        ("en", "How long may it take?", "6 minutes", "6 hours", Wrong),
        ("en", "How big is it?", "4 GB", "4 GiB", Wrong),
        ("en", "How much power?", "5 mW", "5 MW", Wrong),
        ("en", "Which voltage?", "24 V DC", "24 V AC", Wrong),
        ("en", "Which voltage?", "24 V DC", "24 V", Correct),
        ("en", "Which voltage?", "24 V DC", "24VAC", Wrong),
        ("en", "Which voltage?", "24 VDC", "24 V (DC)", Correct),
        ("en", "How much memory?", "4 GB RAM", "RAM: 4 GB installed", Correct),
        ("en", "How large is it?", "35 square kilometres", "35 km²", Correct),
        ("en", "How large is it?", "35 square kilometres", "35 km", Wrong),
        ("en", "How fast?", "45 litres per minute", "2.7 m³/h", Correct),
        ("en", "How fast is it?", "500 Mb/s", "62.5 MB/s", Correct),
        ("en", "What does it store?", "5 mAh", "5 Ah", Wrong),
        ("en", "What does it draw?", "5 mA", "5 MA", Wrong),
        ("en", "How cold is it?", "-20 °C", "minus 20 degrees Celsius", Correct),
        ("en", "Which voltage?", "5 V", "negative 5 V", Wrong),
        ("en", "How fast is it answered?", "within 4 hours", "after 4 hours", Wrong),
        ("en", "How fast is it answered?", "within 24 hours", "within a day", Correct),
        ("en", "How fast is it answered?", "within 4 hours", "4 hours after receipt", Correct),
        ("en", "How long does it take?", "6 minutes", "Is it 6 minutes? Yes.", Correct),
        ("fr", "Quel âge ?", "18 ans ou plus", "au moins 18 ans", Correct),
        ("en", "Which one was removed?", "legacy_id", "legacy_id was removed in v2.", Correct),
        (
            "en",
            "How long are full backups kept?",
            "90 days",
            "Backups are kept for 35 days. Full backups are kept for 90 days.",
            Correct,
        ),
        ("en", "What is printed?", "$1$2", "12", Wrong),
        ("en", "How long does it take?", "6 minutes", "It should not exceed 6 minutes.", Correct),
        ("en", "How long is it?", "42.195 km", "26.2 miles, to be exact 42.195 km", Correct),
        ("en", "How long is it?", "42.195 km", "about 26.2 miles", Unsure),
        ("en", "How much flour is it?", "1.5 cups", "1 1/2 cups", Correct),
        ("en", "How high is the threshold?", "30 mA", "It is 0.03 A.", Correct),
        ("en", "How fast may it go?", "8 km/h", "It may not go faster than 8 km/h.", Correct),
        ("de", "Wann antwortet man?", "innerhalb von 4 Stunden", "nach 4 Stunden", Wrong),
        ("en", "How large is it?", "10 MB", "10 Mb", Wrong),
        ("en", "How large is it?", "10 MB", "10 mb", Correct),
        ("en", "How fast is it?", "10 Gb/s", "10 Gbps", Correct),
        ("en", "How fast is it?", "10 GB/s", "10 Gb/s", Wrong),
        ("en", "How large is it?", "35 km²", "35 km<sup>2</sup> [1]", Correct),
        ("en", "How large is it?", "35 km²", "35 sq km", Correct),
        ("en", "How long does it take?", "6 minutes", "$6$ minutes", Correct),
        ("en", "How long does it take?", "6 minutes", r"\(6 \text{minutes}\)", Correct),
        ("en", "How long does it take?", "6 minutes", "6\0 minutes", Correct),
        ("en", "How fast may it go?", "6 km/h", "It may go no faster than 6 km/h.", Correct),
        ("en", "Which order?", "12345678901234567890", "12345678901234567891", Wrong),
        ("en", "Which order?", "12345678901234567890", "It is 12345678901234567890.", Correct),
        ("en", "How many jobs?", "8", "It is 8 jobs. One worker takes one at a time.", Correct),
        ("en", "How old is he?", "42 years old", "He is 42 years of age.", Correct),
        ("en", "How much memory?", "4 GB RAM", "4 GB, enough for tests", Correct),
        ("en", "Which voltage?", "24 V DC", "24Vdc", Correct),
        ("en", "When does it start?", "3 pm", "3 am", Wrong),
        ("en", "How long may it take?", "at most 6 minutes", "at least 6 minutes", Wrong),
        ("en", "How long may it take?", "6 minutes", "2.6 minutes", Wrong),
        ("en", "How long may it take?", "6 minutes", "5 or 6 minutes", Wrong),
        ("en", "How long may it take?", "6 minutes", "It is not 6 minutes.", Wrong),
        ("en", "How long may it take?", "6 minutes", "8 minutes instead of 6 minutes", Wrong),
    ]);
}

#[test]
fn powers_fractions_rates_and_denied_limits_are_values() {
    check(&[
        ("en", "Which size?", "5/8 inch", "⅝ inch", Correct),
        ("en", "How much?", "1250.5", "1,250.5", Correct),
        ("en", "How much?", "$2.250 million", "$2.25 million", Correct),
        ("en", "How much?", "€5,000", "5.000 EUR", Correct),
        ("en", "How many people?", "5 people", "Only 5 and half of the staff came.", Correct),
        ("en", "How much must it rise?", "at least 20%", "It must rise by 20%.", Correct),
        ("en", "How often?", "every quarter", "Four times a year", Correct),
        ("en", "How often?", "every two weeks", "fortnightly", Correct),
        ("en", "What is the rate?", "3.75% p.a.", "3.75% a month", Wrong),
        ("en", "When is it?", "the second Tuesday", "On the second Thursday.", Wrong),
        ("en", "Which voltage?", "24 V DC", "24 V\nThe supply is stable.", Correct),
        ("de", "Wie viele?", "12 Mitarbeiter", "12 Angestellte", Correct),
        ("en", "Which port?", "extension 4455", "4455", Correct),
        ("en", "When was it built?", "the 1800s", "In the 18th century", Wrong),
        ("en", "How long is the timeout?", "30 minutes", "It is 1800s by default.", Correct),
        ("en", "Which version?", "2.4", "Since v2.4.0.", Correct),
        ("en", "Which version?", "3.1", "3.10.0", Wrong),
        ("en", "What share?", "78%", "78.08%", Unsure),
        ("en", "What is the availability?", "99.9%", "99.99%", Wrong),
        ("en", "What is the fine?", "$500,000", "half a million dollars", Correct),
        ("en", "By how much?", "by 18%", "It fell to 18%.", Wrong),
        ("de", "Um wie viel?", "um 18 %", "Es fiel auf 18 %.", Wrong),
        ("en", "What is the rent per month?", "$900", "$900 per year", Unsure),
        ("en", "How fast is it answered?", "within 4 hours", "not within 4 hours", Wrong),
        ("en", "How long is it kept?", "6 years", "at least 6 years", Unsure),
        ("en", "How many?", "1,000,000", "10^6", Correct),
        ("en", "How many?", "15 billion", "1.5 × 10¹⁰", Correct),
        ("en", "How many?", "0.0025", "2.5 × 10^-3", Correct),
        ("en", "When was it founded?", "1945", "It was founded in 1945².", Correct),
        ("en", "How many?", "5", "5,000", Wrong),
        ("en", "How much may one take?", "4 g", "It must not exceed a maximum of 4 g.", Correct),
        ("en", "How many?", "1024", "2^10", Correct),
        ("en", "How many?", "1,000,000", "10^5", Wrong),
        ("en", "How long does it take?", "90 minutes", "1h30", Correct),
        ("en", "How fast is it?", "60 per minute", "1 per second", Correct),
        ("en", "How fast is it?", "60 per minute", "60 per second", Wrong),
        ("en", "When is it?", "2024-05-18 14:30", "2024-05-18T14:30", Correct),
        // How often: by the time between.
        ("en", "How often is it run?", "every six months", "It runs twice a year.", Correct),
        ("en", "How often is it run?", "daily", "It is run once a day.", Correct),
        ("en", "How often is it run?", "every 15 minutes", "four times an hour", Correct),
        ("en", "How often is it run?", "weekly", "It runs every six days.", Wrong),
        ("en", "How long is it kept?", "30 days", "A daily copy is kept for 30 days.", Correct),
        ("en", "How long does it run?", "12 months", "The annual fee is 20 euros.", Wrong),
        ("en", "How long does it take?", "6 minutes", "There were 0 errors per hour.", Wrong),
        ("en", "How often is it run?", "weekly", "It runs bi-weekly.", Wrong),
        ("en", "How often is it run?", "daily", "Twice daily.", Wrong),
        ("de", "Wie viele?", "über 400 Zuschauer", "Es fand vor 500 Zuschauern statt.", Wrong),
        ("de", "Wie oft läuft es?", "wöchentlich", "Es läuft alle sieben Tage.", Correct),
        ("fr", "À quelle fréquence ?", "tous les six mois", "deux fois par an", Correct),
        ("es", "¿Con qué frecuencia?", "cada doce meses", "anualmente", Correct),
        // Within a phrase.
        ("en", "Which majority?", "75% of the votes", "Three quarters of the votes", Correct),
        ("en", "Which majority?", "75% of the votes", "Three quarters of the members", Unsure),
        ("en", "Which majority?", "75% of the votes", "Less than 75% of the votes", Unsure),
        ("en", "How long may it be?", "30 minutes", "No longer than 30 minutes.", Correct),
        ("en", "How old must one be?", "18 or older", "at least 18", Correct),
        ("en", "What is the monthly premium?", "£42", "The plan costs £42 per year.", Unsure),
        ("en", "Which Python?", "3.9 or newer", "3.9 or older", Wrong),
        ("en", "Is MySQL or Postgres faster?", "MySQL", "The faster one is MySQL.", Correct),
        ("en", "At which level?", "2.40 m above datum", "It is 240 cm above datum.", Correct),
        ("en", "When is it?", "14 September at 11:15", "September 14th at 11:15 am", Correct),
        ("th", "กี่ไฟล์", "5", "ลบ 5 ไฟล์", Correct),
    ]);
}

#[test]
fn symbols_letters_digits_and_order_are_content() {
    check(&[
        ("en", "Which disease?", "Hepatitis A", "Hepatitis B", Wrong),
        ("en", "Which disease?", "Hepatitis A", "It is hepatitis A.", Correct),
        ("en", "Which blood group?", "O-", "O positive", Wrong),
        ("en", "Which blood group?", "O-", "It is O\u{2212}.", Correct),
        ("en", "Which ion?", "Cl-", "Cl", Wrong),
        ("en", "Which sign ends it?", ";", ":", Wrong),
        ("en", "Which sign ends it?", ";", "`;`", Correct),
        ("en", "Which language?", "C", "C++", Wrong),
        ("en", "Which language?", "C++", "C#", Wrong),
        ("en", "How fast is it?", "O(n)", "O(n^2)", Wrong),
        ("en", "How fast is it?", "O(n^2)", "O(n²)", Correct),
        ("en", "Which section?", "section 3(a)", "section 3(b)", Wrong),
        ("en", "Which argument?", "argv[1]", "`argv[2]`", Wrong),
        ("en", "Which command?", "cp a b", "cp b a", Unsure),
        ("en", "Which command?", "cp a b", "`cp a b`", Correct),
        ("en", "What is computed?", "a - b", "b - a", Wrong),
        ("en", "What is computed?", "a - b", "a + b", Wrong),
        ("en", "What is computed?", "a - b", "It is `a-b`.", Correct),
        ("en", "Which index is read?", "n - 1", "n + 1", Wrong),
        ("en", "Which variable?", "HTTP_PROXY", "http_proxy", Wrong),
        ("en", "Which folder?", "/etc/App", "/etc/app", Wrong),
        ("en", "Which options?", "ls -lA", "ls -la", Wrong),
        (
            "en",
            "Which events are excluded?",
            "war and nuclear incidents",
            "The policy excludes war, nuclear incidents and flooding. They are in section 4.",
            Wrong,
        ),
        ("en", "How often?", "twice a year", "Every two years.", Wrong),
        ("en", "How did it change?", "decreased by 12%", "It went up by 12%.", Wrong),
        ("en", "Which argument?", "argv[1]", "It is argv[1].", Correct),
        ("en", "Which argument?", "argv[1]", "It is `argv[1]` [2].", Correct),
        ("en", "What is printed?", "print(arr[1])", "print(arr[2])", Wrong),
        ("en", "What is printed?", "print(arr[1])", "print(arr)", Wrong),
        ("en", "What is called?", "get(a)[0]", "get(a)[1]", Wrong),
        ("en", "Which cell?", "matrix[1][2]", "matrix[1][3]", Wrong),
        ("en", "Which slice?", "arr[1, 2]", "arr[3, 4]", Wrong),
        ("en", "Which list?", "[1, 2]", "[2, 1]", Wrong),
        ("en", "How many?", "count()", "`count() - n`", Wrong),
        ("en", "How many?", "count()", "count() - 1", Wrong),
        ("en", "How many?", "count()", "`count()` — 2 times per loop", Correct),
        ("en", "Which shape?", "(32, 3, 224, 224)", "(32, 224, 224, 3)", Wrong),
        ("en", "Which shape?", "(3, 224, 224)", "It is `[3, 224, 224]`.", Wrong),
        ("en", "Which list?", "['a', 'b']", "['b', 'a']", Wrong),
        ("en", "Which pattern?", "[A-Z]", "`[a-z]`", Wrong),
        ("en", "When does it run?", "0 3 * * *", "0 3 * * * *", Wrong),
        ("en", "When does it run?", "0 3 * * *", "Not 0 4 * * *, but 0 3 * * *.", Correct),
        ("en", "When does it run?", "0 3 * * *", "At 0 4 * * * now, and not 0 3 * * *.", Wrong),
        ("en", "Which release?", "v1.2", "v1.20", Wrong),
        ("en", "Which command?", "git push", "git push --force", Unsure),
        ("en", "Which command?", "ls -l", "ls -L", Wrong),
        ("en", "Which pattern?", "[a-z]+", "[A-Z]+", Wrong),
        ("en", "Which model?", "gpt-4", "gpt-4o", Wrong),
        ("en", "Which code?", "404", "It returns 404 Not Found.", Correct),
        ("en", "Which code?", "404", "It is NOT 404.", Wrong),
        ("en", "Which command?", "git push", "git push - it sends the branch", Correct),
        ("en", "Which word?", "!important", "important", Wrong),
        ("en", "Which file?", ".env", "`.env`", Correct),
        ("en", "Which pattern?", "[0-9]+", "It is `[0-9]*`.", Wrong),
        ("en", "When does it run?", "*/15 * * * *", "`*/15 * * * *`", Correct),
        (
            "en",
            "Which command?",
            "npm ci",
            "`npm install`, not `npm ci`, as `npm ci` is slow.",
            Unsure,
        ),
        ("en", "When does it run?", "0 3 * * *", "5 0 3 * * *", Wrong),
        ("en", "When does it run?", "0 3 * * *", "0 3 * * * 2026", Wrong),
        ("en", "When does it run?", "0 3 * * *", "See line 5 `0 3 * * *` 2 times.", Correct),
        ("en", "Which pattern?", "[0-9]+", "`[0-9]+\\.[0-9]+`", Wrong),
        ("en", "What is printed?", "arr[1]", "It reads arr[1] and prints arr[2].", Unsure),
        ("en", "Which region?", "us-east-1", "us-east-1 and us-west-2", Unsure),
        ("en", "Which list?", "[1, 2]", "It returns [1,2].", Correct),
        ("en", "Which list?", "[1, 2]", "It returns [1, 2] [1].", Correct),
        // The last bracket cites.
        ("en", "What is called?", "foo()", "It calls `foo()`[1].", Correct),
        // A subscript or a citation.
        ("en", "Where is it set?", "Settings > Documents > Language", "Settings", Wrong),
        (
            "en",
            "Where is it set?",
            "Settings > Documents > Language",
            "**Settings → Documents → Language**",
            Correct,
        ),
        ("en", "When does it run?", "30 2 * * *", "2 30 * * *", Wrong),
        ("en", "Which flag?", "-d", "-D", Wrong),
        ("en", "Which release?", "1.2", "1.20", Wrong),
        ("en", "Which release?", "4.2.0", "v4.2.0", Correct),
        ("en", "Which flag is it?", "edge-lst", "edge-lst-old", Wrong),
        ("en", "Which algorithm?", "SHA-256", "SHA256", Correct),
    ]);
}

#[test]
fn opposite_directions_and_limits_are_other_answers_and_of_the_question_leave_it_open() {
    let cases = [
        ("en", "increased by 5%", "It decreased by 5%.", "It increased by 5%."),
        ("en", "at least 8", "maximum 8", "minimum 8"),
        ("en", "before the backup", "It runs after the backup.", "It runs before the backup."),
        ("en", "with a lock", "without a lock", "It is opened with a lock."),
        ("en", "to the primary", "from the primary", "It is copied to the primary."),
        ("en", "above the pump", "It is below the pump.", "It is above the pump."),
        ("en", "44 BC", "AD 44", "in 44 BC"),
        ("de", "vor der Sicherung", "nach der Sicherung", "Es ist vor der Sicherung."),
        ("fr", "avec un mot de passe", "sans mot de passe", "C'est avec un mot de passe."),
        ("es", "antes de la copia", "después de la copia", "Es antes de la copia."),
        ("ru", "до обеда", "после обеда", "до обеда"),
        // Limits of a time.
        ("en", "by 3 May", "after 3 May", "until 3 May"),
        ("en", "before 5 pm", "from 5 pm on", "by 17:00"),
        ("en", "after 3 May", "not after 3 May", "from 3 May"),
        ("en", "18 and over", "18 and under", "at least 18"),
        ("en", "within 4 hours", "after 4 hours", "in at most 4 hours"),
        ("en", "4 hours", "5 hours", "It ends after 4 hours."),
        ("de", "bis 18 Uhr", "ab 18 Uhr", "vor 18 Uhr"),
        ("fr", "avant le 3 mai", "à partir du 3 mai", "jusqu'au 3 mai"),
        ("it", "entro il 3 maggio", "dopo il 3 maggio", "prima del 3 maggio"),
        ("nl", "tot 3 mei", "vanaf 3 mei", "voor 3 mei"),
        ("ar", "قبل 3 مايو", "بعد 3 مايو", "حتى 3 مايو"),
    ];
    for (language, gold, opposite, same) in cases {
        assert_eq!(judged(language, "What is it?", &[gold], opposite), Wrong, "{opposite}");
        assert_eq!(judged(language, "What is it?", &[gold], same), Correct, "{same}");
    }
    let asked = |question, answer| judged("en", question, &["45 minutes"], answer);
    let before = "How long before departure is it?";
    assert_eq!(asked(before, "45 minutes after departure"), Unsure);
    assert_eq!(asked(before, "45 minutes before departure"), Correct);
    assert_eq!(asked("By how much did it increase?", "It fell by 45 minutes."), Unsure);
    assert_eq!(
        asked("By how much did it increase?", "It did not fall; it rose by 45 minutes."),
        Correct
    );
}

#[test]
fn names_are_words_that_may_be_abbreviated_and_never_part_of_another() {
    check(&[
        ("en", "Who wrote it?", "Charles Eugène", "Dr. Charles Eugene", Correct),
        (
            "en",
            "Who founded it?",
            "World Health Organization",
            "It was founded by the WHO.",
            Correct,
        ),
        ("en", "Which treaty?", "Treaty of Maastricht", "The Maastricht Treaty", Unsure),
        ("en", "Which album?", "OK Computer", "The answer is OK Computer.", Correct),
        ("en", "Who is it?", "MD Anderson", "MD Anderson. It is in Houston.", Correct),
        ("en", "Which state?", "Virginia", "West Virginia", Wrong),
        ("en", "Who wrote it?", "John Ford", "John Wayne", Wrong),
        ("en", "Who came first?", "first", "[1]. See passage 1.", Wrong),
        ("en", "Which country?", "U.S.", "US$15.9 million", Wrong),
    ]);
}

#[test]
fn asides_lists_and_code_are_decided_by_what_is_said_besides() {
    check(&[
        // An aside says something else of it; a conclusion and brackets say it.
        (
            "en",
            "Which mineral has a hardness of 7?",
            "quartz",
            "Topaz has a hardness of 7 on that scale, and quartz comes right below it with the same lustre.",
            Wrong,
        ),
        (
            "en",
            "How many seats are there?",
            "9",
            "There are the chief seat and eight others, so nine in all.",
            Correct,
        ),
        ("en", "Which codec is used?", "AMR", "It uses adaptive coding (AMR).", Correct),
        // Lists: an item more, one that is missing.
        (
            "en",
            "Which methods?",
            "mTLS and OAuth",
            "The API supports:\n- mTLS\n- OAuth\n- Basic",
            Wrong,
        ),
        (
            "en",
            "Which browsers?",
            "Chrome, Firefox and Edge",
            "It supports Google Chrome, Mozilla Firefox and Microsoft Edge.",
            Correct,
        ),
        (
            "en",
            "Which gases?",
            "helium, neon and argon",
            "The sheet names three gases: helium, neon and xenon. All displace oxygen in closed rooms.",
            Wrong,
        ),
        ("en", "Which country?", "Iran", "Iraq", Wrong),
        // Code in pieces, variables, placeholders, standards, ciphers.
        ("en", "Which setting?", "autovacuum = off", "Set `autovacuum` to `off`.", Unsure),
        ("en", "Which variable?", "APP_LOG", "`$APP_LOG`", Correct),
        ("en", "Which command?", "kubectl drain <node>", "`kubectl drain <node-name>`", Correct),
        ("en", "Which standard?", "ISO/IEC 27001", "ISO 27001:2022", Correct),
        ("en", "Which cipher?", "AES-256", "256-bit AES", Correct),
        ("en", "Which file?", "retention.yaml", "`config/retention.yaml`", Correct),
        ("en", "Which command?", "git diff", "Run `git diff` without arguments", Correct),
        (
            "en",
            "Which is larger, Lake Victoria or Lake Tanganyika?",
            "Lake Victoria",
            "Lake Tanganyika is larger than Lake Victoria.",
            Wrong,
        ),
    ]);
}

#[test]
fn sentences_are_right_by_what_they_assert() {
    let older = "Who is older, Annie Morton or Terry Richardson?";
    check(&[
        (
            "en",
            "How long does a rollback take?",
            "6 minutes",
            "I'm not sure, but probably 6 minutes.",
            Correct,
        ),
        ("en", "How long is it?", "6 minutes", "6 minutes, up from 4 minutes.", Correct),
        ("en", "How much?", "6 W", "Document 2 does not say. Document 1 says 6 W.", Correct),
        ("en", "How many species?", "300", "The survey documents 300 species.", Correct),
        ("en", "How often?", "monthly", "It is cleaned every six months in spring.", Wrong),
        ("en", "How often?", "monthly", "It is cleaned once a month.", Correct),
        ("en", "In which currency?", "dollars", "Fees are 20 dollars.", Correct),
        ("en", "Which perfume?", "No. 5", "Indeed, she wore only No. 5 to bed.", Correct),
        (
            "en",
            "Which one runs now?",
            "MySQL",
            "They chose not Oracle but MySQL. Today Oracle runs.",
            Unsure,
        ),
        ("en", "Which one?", "MySQL", "MySQL, not Oracle, because Oracle is slow.", Unsure),
        (
            "en",
            "How long is the read timeout?",
            "90 s",
            "The connect timeout is 30 s; the read timeout is 90 s.",
            Correct,
        ),
        (
            "en",
            "How long is the read timeout?",
            "30 s",
            "The read timeout is 90 s; the connect timeout is 30 s.",
            Wrong,
        ),
        ("en", "Which port is open?", "443", "Ports 80, 443 and 8443 are open.", Unsure),
        (
            "en",
            "Which class does it belong to?",
            "statins",
            "It belongs to the fibrates, which are combined with statins.",
            Unsure,
        ),
        (
            "en",
            "How long is it?",
            "30 days",
            "It depends on the contract: 30 days or 60 days.",
            Unsure,
        ),
        ("en", "How many days?", "28 days", "It used to be 28 days; now it is 30 days.", Wrong),
        (
            "en",
            "How long is it?",
            "6 minutes",
            "**8 minutes**. The old limit of 6 minutes no longer holds.",
            Wrong,
        ),
        ("en", older, "Terry Richardson", "Annie Morton is older than Terry Richardson.", Wrong),
        ("en", older, "Terry Richardson", "Terry Richardson is older than Annie Morton.", Correct),
    ]);
}

#[test]
fn the_alias_with_a_unit_decides() {
    let gold = ["600", "600 requests per minute"];
    assert_eq!(judged("en", "How many requests?", &gold, "600 requests per second"), Wrong);
    assert_eq!(judged("en", "How many requests?", &gold, "600"), Correct);
}

#[test]
fn a_pleasantry_is_no_yes() {
    check(&[
        ("en", "Is it allowed?", "no", "Sure! The answer is no.", Correct),
        ("en", "Is it allowed?", "yes", "Sure! The answer is no.", Wrong),
        ("en", "Is it allowed?", "no", "Sure! no.", Correct),
        ("en", "Is it allowed?", "yes", "Sure! no.", Wrong),
        ("en", "Is it allowed?", "no", "**No**. Both passages say so.", Correct),
        ("en", "Are they?", "no", "They are not.", Unsure),
        ("en", "Is it allowed?", "yes", "yes and no", Unsure),
        ("en", "Is it stored?", "no", "No information is stored.", Correct),
        ("en", "Is it allowed?", "yes", "It depends on the contract.", Unsure),
        ("en", "Is it allowed?", "no", "According to the text, the answer is \"No\".", Correct),
        ("en", "Is it allowed?", "yes", "Based on the context, the answer is \"No\".", Wrong),
        ("en", "Is it allowed?", "yes", "No problem: yes, it is.", Correct),
        ("en", "Is it allowed?", "no", "No problem: it is allowed.", Unsure),
        ("en", "Is it allowed?", "no", "No. 3 is allowed.", Unsure),
        ("en", "Is it allowed?", "No, skipping is not permitted.", "No.", Correct),
        ("en", "Is there a fee?", "yes", "According to the text, there is no fee.", Unsure),
        ("en", "Is it allowed?", "no", "No more than 3 are.", Unsure),
        ("en", "Is it allowed?", "yes", "Yes. 30 days after purchase.", Correct),
        ("en", "Is it Postgres or MySQL?", "MySQL", "Not Postgres but MySQL.", Correct),
        ("de", "Ist das erlaubt?", "nein", "Kein Problem: das geht.", Unsure),
        ("en", "Is it allowed?", "No, only by post", "Yes, it is, by post or in person.", Wrong),
        ("en", "Is it allowed?", "No, only by post", "No, only in person.", Wrong),
        ("en", "Which group?", "O negative", "AB negative", Unsure),
        ("de", "Ist das erlaubt?", "ja", "Ja, das ist erlaubt.", Correct),
        ("de", "Ist das erlaubt?", "nein", "Klar! Die Antwort ist nein.", Correct),
        ("es", "¿Está permitido?", "sí", "¡Claro! La respuesta es sí.", Correct),
        ("zh", "可以吗？", "是", "不是。", Wrong),
        ("ja", "できますか。", "はい", "はい、できます。", Correct),
    ]);
}

#[test]
fn answers_in_other_languages_are_read_by_their_own_words() {
    check(&[
        ("de", "Wo liegt es?", "Hannover", "Die Antwort lautet Hannover.", Correct),
        ("de", "Wie viel?", "3,5 Prozent", "3,5 %", Correct),
        ("de", "Was kostet es?", "1.250 Euro", "1250 Euro", Correct),
        ("de", "Wie lange?", "5 Tage", "fünfundzwanzig Tage", Wrong),
        ("fr", "Où siège le président ?", "l'Élysée", "À l'Élysée.", Correct),
        ("ru", "Когда это было?", "5 мая 1990 года", "Это было 05.05.1990.", Correct),
        ("zh", "谁写的？", "鲁迅", "答案是鲁迅。", Correct),
        ("zh", "中国最大的银行是哪家？", "中国银行", "中国最大的银行是中国银行。", Correct),
        ("zh", "什么时候？", "1980年5月18日", "1980-05-18", Correct),
        ("th", "ที่ไหน", "กรุงเทพ", "คำตอบคือกรุงเทพครับ", Correct),
        ("ko", "어디입니까?", "서울", "정답은 서울입니다.", Correct),
        ("ja", "どこですか。", "東京", "東京となっています。", Correct),
        ("ar", "أين؟", "القاهرة", "الإجابة هي القاهرة.", Correct),
        // A language without data: what is not the gold answer may be.
        ("xx", "Kde?", "Praha", "V Brně je to město.", Unsure),
        ("xx", "Kde?", "Praha", "Praha", Correct),
    ]);
}

#[test]
fn a_reply_declines_by_what_it_denies_of_which_source() {
    for reply in [
        "No relevant information was found in the context.",
        "When reviewing the provided context I could not find an answer.",
        "I don't have information about that.",
        "The price is not stated.",
        "The cost of the repair is not given. The inspection cost 300 euros.",
        "Empty Response",
        "The passages describe the procedure but do not state the fee.",
        "I'm sorry, but the documents don't mention a deadline. Can I help with anything else?",
        "Das geht aus dem Kontext nicht hervor.",
        "Le document ne mentionne pas de date.",
        "El texto no lo especifica.",
        "Esta fuente no da la fecha.",
        "The passages do not mention the limit. See document 3 for related rules.",
        "The context mentions no 5.",
        // What is known besides.
        "The documents do not state its cost. It was begun in 1969 and has 8 arches, but no lock.",
        "De lengte wordt niet genoemd. Wel is bekend dat de rivier op 145 meter ontspringt.",
        "資料には記載されていません。わかるのは、1977年に完成したことです。",
        "The documents do not say. It is only known that it has 3 floors, but was rebuilt.",
        "Los textos no recogen la dosis. Lo más prudente es consultar al médico.",
        "В тексте об этом не упоминается.",
        "文中没有提到这一点。",
        "文書には記載されていません。",
        "문서에 언급되어 있지 않습니다.",
        "ไม่มีข้อมูลในเอกสาร",
        "لا يذكر النص ذلك.",
    ] {
        assert!(declines(reply, &[]), "{reply}");
    }
    for reply in [
        "I'm not sure, but probably 6 minutes.",
        // Conditions deny nothing of the matter.
        "Pairing ends after 90 seconds, provided that no key is pressed.",
        "Le jumelage prend fin après 90 secondes, à condition que le document ne soit pas ouvert.",
        "Het koppelen stopt na 90 seconden, mits het document niet geopend is.",
        "The context does not say exactly, however it states 6 minutes.",
        "No documents are required.",
        // What "we" and files do not do is content.
        "We ship on Monday, not on Fridays.",
        "The report shows WARNING messages for failed jobs.",
        "The files cannot be excluded:",
        "The contract is not limited in time.",
        "The error \"not found\" means that the file is missing.",
        "6 minutes. The text does not mention other limits.",
        "6 minutes (source no. 1)",
        "Document 2 does not say; document 1 says 100 watts.",
        "Passage 2 does not say, passage 1 says 100 watts.",
        "According to passage no. 1, the pump runs for 6 minutes.",
        "The document no. 12 says 6 minutes.",
        "6 minutes (document no 1)",
        "6 minutos (documento n.º 1)",
        "6 minutes (document nº 1).",
        "El documento n.º 5 indica 12 euros.",
    ] {
        assert!(!declines(reply, &[]), "{reply}");
    }
    assert!(declines(
        "Please **ask our service desk**!",
        &["please ask our service desk".to_owned()]
    ));
}

#[test]
fn the_gold_answer_is_no_refusal() {
    let question = Question {
        answers: vec!["Unknown".to_owned()],
        ..Question::new("q".into(), "What does 0 mean?".to_owned())
    };
    assert!(!declines_to_answer(&question, "unknown", &[], Language::english()));
    assert!(declines_to_answer(
        &question,
        "The text does not mention it.",
        &[],
        Language::english()
    ));
}

#[test]
fn a_negative_gold_answer_is_no_refusal_by_its_word_alone() {
    for (gold, reply, expected) in
        [("Nobody", "Nobody.", false), ("no", "No relevant information found.", true)]
    {
        let answers = vec![gold.to_owned()];
        let question =
            Question { answers, ..Question::new("q".into(), "Who has which limit?".into()) };
        let found = declines_to_answer(&question, reply, &[], Language::english());
        assert_eq!(found, expected, "{reply}");
    }
}

#[test]
fn facts_are_stated_by_value_and_not_when_denied() {
    let mut question =
        Question::new("q".into(), "How do I roll back, and how long does it take?".to_owned());
    question.required = vec![vec!["shopctl rollback".into()], vec!["4 minutes".into()]];
    question.forbidden = vec![vec!["helm rollback".into()]];
    let judge = Judge { scorer: Scorer::Squad2, language: Language::english() };
    for (answer, expected) in [
        ("Run `shopctl rollback`; it takes four minutes.", Correct),
        ("Run `shopctl rollback`, never helm rollback. 240 seconds.", Correct),
        ("Do not run shopctl rollback. 4 minutes.", Wrong),
        ("Run shopctl rollback, 5 minutes.", Wrong),
        ("Run `shopctl rollback --site a`, 4 minutes.", Correct),
    ] {
        let found =
            judge.judge(&question, answer, Stance::Answered).map(|judgment| judgment.correctness);
        assert_eq!(found, Some(expected), "{answer}");
    }
}

#[test]
fn odd_input_is_read_in_linear_time_and_is_never_right_by_what_is_dropped() {
    let cases = [
        "6".repeat(1 << 20),
        "6 ".repeat(1 << 19),
        "* ".repeat(1 << 19),
        "²".repeat(1 << 19),
        "(((".repeat(6_000),
        "-+".repeat(9_000),
        "no ".repeat(6_000),
        "\u{202e}6 \u{200b}\u{e000}\u{301}".repeat(1_000),
        "<|im_end|>".repeat(1_500),
        "\\boxed{".repeat(2_000),
        String::new(),
    ];
    for answer in cases {
        for gold in ["6 minutes", "Paris", "a_b", "yes", "!", ""] {
            let found = judged("en", "How long?", &[gold], &answer);
            assert!(found != Correct || answer.trim() == gold, "{gold}: {answer:.40}");
        }
        let _ = declines(&answer, &["6".to_owned()]);
    }
    check(&[
        ("en", "Which database?", "PostgreSQL 15", "MySQL 15", Unsure),
        ("zh", "多久?", "30天", "备份保留三十天。", Correct),
        ("en", "When?", "2024", "20<|im_end|>24", Wrong),
        ("en", "How many?", "12", "1\u{200b}\u{202e}3", Wrong),
        ("en", "How many?", "42", "４２", Correct),
        ("en", "Where?", "Café Zoé", "Cafe\u{301} Zoe\u{301}", Correct),
        ("en", "How long?", "6 minutes", "$\\boxed{6 \\text{ minutes}}$", Correct),
        ("en", "How long?", "6 minutes", "{\"answer\": \"6 minutes\", \"source\": 3}", Correct),
    ]);
}

#[test]
fn groundedness_counts_tokens_and_names_values_that_no_passage_has() {
    let english = Language::english();
    assert_eq!(groundedness("The war ended in 1946.", &["the war", "ended in 1945"]), Some(0.75));
    assert_eq!(groundedness("the", &["the"]), None);
    let passages = ["The tower is 330 metres high and was finished in 1889 in Paris."];
    assert_eq!(
        unsupported_values("It is 0.33 km high, in Paris, since 1889.", &passages, english),
        Vec::<String>::new()
    );
    assert_eq!(
        unsupported_values("It is 340 m high, in Lyon Nord.", &passages, english),
        ["340 m", "Lyon Nord"]
    );
}

proptest::proptest! {
    #[test]
    fn any_texts_are_judged_without_a_panic(gold in "\\PC{0,20}|[a-z0-9 .,*_()'\"-]{0,16}", answer in "\\PC{0,80}|(not |6 |min|,|\\.|\n|\\*\\*|`|\\(|é|中|ไทย|no|yes| |\\\\boxed\\{|\\}){0,30}") {
        for language in ["en", "zh", "xx"] {
            let _ = judged(language, "How long?", &[&gold], &answer);
        }
        let _ = declines(&answer, std::slice::from_ref(&gold));
    }

    #[test]
    fn an_answer_equal_to_the_gold_answer_is_correct(gold in "[A-Za-z0-9]{1,8}( [A-Za-z0-9]{1,8}){0,4}") {
        proptest::prop_assert_eq!(judged("en", "What is it?", &[&gold], &gold), Correct);
    }
}

#[test]
fn a_reply_that_goes_on_to_give_the_gold_answer_does_not_decline() {
    let question = Question {
        answers: vec!["6 minutes".to_owned()],
        ..Question::new("q".into(), "How long may a rollback take?".into())
    };
    let declines = |reply| declines_to_answer(&question, reply, &[], Language::english());
    for reply in [
        "6 minutes. The document does not mention anything else.",
        "I don't know the exact figure. The runbook says 6 minutes.",
        "I'm not able to browse. 6 minutes.",
        "Das weiß ich leider nicht genau, aber laut Handbuch 6 minutes.",
    ] {
        assert!(!declines(reply), "{reply}");
    }
    assert!(declines("The context does not say whether a rollback takes 6 minutes."));
    assert!(declines("I couldn't find it in the documents."));
    // A guess is an answer.
    assert!(!declines("I couldn't find it in the documents. It is probably 5 minutes."));
    // In other words; what a sentence denies; and no.
    for (gold, reply) in [
        ("6 minutes", "I don't know the exact figure. The runbook says six minutes."),
        ("at most 6 minutes", "According to the documents, the answer is no more than 6 minutes."),
        ("Leipzig", "I don't know, probably Leipzig."),
        ("6 minutes", "I think 6 minutes, but I'm not sure."),
        ("no", "According to the documents, the answer is no."),
        ("None", "None: the documents do not require any deposit."),
        ("It is unknown.", "The documents do not name him; he is unknown to this day."),
        (
            "Guests cannot upload files or write in the forum.",
            "Guests can neither upload a file nor write in a forum.",
        ),
        ("I Don't Know How to Love Him", "I Don't Know How to Love Him by Yvonne Elliman"),
        ("No, it has no coins.", "No, the report mentions no coins."),
    ] {
        let answers = vec![gold.to_owned()];
        let question =
            Question { answers, ..Question::new("q".into(), "What do the documents say?".into()) };
        assert!(!declines_to_answer(&question, reply, &[], Language::english()), "{reply}");
    }
}
