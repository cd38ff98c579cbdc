//! The rows of a file, as objects: JSON lines, a JSON array, an object that wraps one, columns, CSV and TSV.

pub(crate) mod python;

use std::sync::LazyLock;

use regex::Regex;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::error::{Error, Place};
use crate::fields::Fields;
use crate::run::external::input::Input;
use crate::run::external::unique::UniqueFields;

type Row = Map<String, Value>;

/// Objects and keys that an error names.
const MOST_NAMED: usize = 12;
/// Objects around the object with the list of rows: promptfoo and `DeepEval` have one.
const MOST_WRAPPERS: usize = 2;

/// Passes each row of `input` to `each`; lines, arrays and tables are read one row at a time.
///
/// # Errors
/// The first text that is no row, and the first error of `each`.
pub(crate) fn each(
    input: &Input,
    fields: &Fields,
    mut each: impl FnMut(&Place, Row) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut each = |place: &Place, mut row: Row| {
        fields.open(place, &mut row)?;
        each(place, row)
    };
    let without = without_nan(input.text()).map(|text| Input::new(input.name(), text));
    let without = without.transpose()?;
    let input = without.as_ref().unwrap_or(input);
    let text = input.text();
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    if first.trim_start().starts_with('[') {
        return array(input, &mut each);
    }
    let is_named = |ends: &[&str]| ends.iter().any(|end| input.name().ends_with(end));
    let is_json = first.trim_start().starts_with('{') || is_named(&[".json", ".jsonl"]);
    if !is_json {
        return table(input, first, fields, &mut each);
    }
    let rest = &text[text.len() - text.trim_start().len()..];
    let is_alone = rest.trim_end().len() <= first.trim().len();
    let is_cut = serde_json::from_str::<IgnoredAny>(first).is_err_and(|error| error.is_eof());
    if !is_alone && (!is_cut || is_named(&[".jsonl"])) {
        return lines(input, &mut each);
    }
    let place = input.position(rest);
    let UniqueFields(object) =
        serde_json::from_str(rest).map_err(|error| Error::json(&place, &error))?;
    for (number, row) in rows_of(&place, object, fields)?.into_iter().enumerate() {
        let place = if is_alone { place.clone() } else { place.of(&format!("row {}", number + 1)) };
        each(&place, row)?;
    }
    Ok(())
}

fn lines(
    input: &Input,
    each: &mut impl FnMut(&Place, Row) -> Result<(), Error>,
) -> Result<(), Error> {
    for (number, line) in input.text().lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let place = input.line(number + 1);
        let UniqueFields(row) =
            serde_json::from_str(line).map_err(|error| Error::json(&place, &error))?;
        each(&place, row)?;
    }
    Ok(())
}

/// The places of ascending offsets of a text.
struct Lines<'t> {
    input: &'t Input,
    counted: usize,
    line: usize,
}

impl<'t> Lines<'t> {
    fn new(input: &'t Input) -> Self {
        Self { input, counted: 0, line: 1 }
    }

    /// Returns the place of the first text at or after the offset `at`.
    fn place(&mut self, at: usize) -> Place {
        let text = self.input.text();
        let at = text.len() - text[at..].trim_start().len();
        self.line += memchr::memchr_iter(b'\n', &text.as_bytes()[self.counted..at]).count();
        self.counted = at;
        self.input.line(self.line)
    }
}

/// Reads an array, an element at a time.
fn array(
    input: &Input,
    each: &mut impl FnMut(&Place, Row) -> Result<(), Error>,
) -> Result<(), Error> {
    let text = input.text();
    let skip = |at: usize| text.len() - text[at..].trim_start().len();
    let mut lines = Lines::new(input);
    let mut at = skip(0) + 1;
    loop {
        at = skip(at);
        let place = lines.place(at);
        if text[at..].starts_with(']') {
            let is_end = text[at + 1..].trim().is_empty();
            let message = "something follows the array";
            return if is_end { Ok(()) } else { Err(Error::in_line(&place, message, HINT)) };
        }
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter();
        let row = match values.next() {
            Some(Ok(UniqueFields(row))) => row,
            Some(Err(error)) => return Err(Error::json(&place, &error)),
            None => return Err(Error::in_line(&place, "the array does not end", HINT)),
        };
        at = skip(at + values.byte_offset());
        each(&place, row)?;
        if text[at..].starts_with(',') {
            at += 1;
        } else if !text[at..].starts_with(']') {
            let place = lines.place(at);
            return Err(Error::in_line(&place, "the array does not go on after this object", HINT));
        }
    }
}

const HINT: &str = "check that the program which writes the file has finished";

/// Returns the rows of a file that is one object: a row, columns, or a list of rows under a key.
fn rows_of(place: &Place, mut object: Row, fields: &Fields) -> Result<Vec<Row>, Error> {
    // A list of messages is one question.
    let is_many = |value: &Value| match value {
        Value::Array(items) => !items.iter().all(Value::is_object),
        value => value.is_object(),
    };
    let mut names = ["question", "id"].into_iter().flat_map(|name| fields.names("row", name));
    let is_columns = names.any(|name| object.get(name).is_some_and(is_many));
    let own = Value::Object(object);
    let has = |name: &str| fields.has("row", name, &own) || own.get(name).is_some();
    let is_row = fields.find("row", "question", &own).is_some_and(|it| it.is_string())
        || fields.find("row", "id", &own).is_some()
            && ["contexts", "answer", "stages", "error"].into_iter().any(has);
    let Value::Object(own) = own else { unreachable!("an object") };
    object = own;
    if is_row {
        return Ok(vec![object]);
    }
    if is_columns {
        return columns(place, object);
    }
    // pandas' `split` form, which MLflow writes.
    if let (Some(Value::Array(names)), Some(Value::Array(rows))) =
        (object.get("columns"), object.get("data"))
        && rows.iter().all(Value::is_array)
    {
        let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
        let named = |row: &Value| {
            let cells = row.as_array().into_iter().flatten().cloned();
            names.iter().map(|name| (*name).to_owned()).zip(cells).collect()
        };
        return Ok(rows.iter().map(named).collect());
    }
    let mut lists = Vec::new();
    lists_in("", &object, &mut lists);
    lists.sort_by_key(|(path, _)| path.matches('.').count());
    // Of several lists, the one with questions and results, or questions and references.
    let with = |names: &'static [&'static str]| {
        let has_all = |(_, items): &&(String, &[Value])| {
            let row = items[0].get("row").unwrap_or(&items[0]);
            let has = |name: &&str| fields.has("row", name, row);
            has(&"question") && (names.is_empty() || names.iter().any(has))
        };
        lists.iter().filter(has_all).collect::<Vec<_>>()
    };
    let choices = [&["answer", "contexts"][..], &["reference", "reference_contexts"], &[]];
    let chosen = choices.into_iter().map(with).find(|lists| !lists.is_empty());
    let lists = chosen.unwrap_or_else(|| lists.iter().collect());
    match lists.as_slice() {
        [(_, items)] => Ok(items.iter().filter_map(Value::as_object).map(row_of).collect()),
        [] => {
            let message = format!("neither a question nor a list of rows; {}", keys(&object));
            let hint = "name the question with `--map question=/KEY`, or extract the list of rows";
            fields.open(place, &mut object)?;
            Err(Error::in_line(place, message, hint))
        }
        [(first, _), ..] => {
            let paths: Vec<String> = lists.iter().map(|(path, _)| format!("`{path}`")).collect();
            let message = format!("several lists of rows: {}", paths.join(", "));
            let hint = format!("extract one, for instance with `jq .{first}`");
            Err(Error::in_line(place, message, hint))
        }
    }
}

/// Adds the lists of objects below an object, with their paths.
fn lists_in<'v>(path: &str, object: &'v Row, lists: &mut Vec<(String, &'v [Value])>) {
    for (key, value) in object {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match value {
            Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_object) => {
                lists.push((path, items));
            }
            Value::Object(inner) if path.matches('.').count() < MOST_WRAPPERS => {
                lists_in(&path, inner, lists);
            }
            _ => {}
        }
    }
}

/// Returns the row in an item of a list; the dataset viewer of Hugging Face wraps it.
fn row_of(item: &Row) -> Row {
    item.get("row").and_then(Value::as_object).unwrap_or(item).clone()
}

/// A string, which stays, or a number that Python writes though JSON has none.
static NAN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?s)"(?:[^"\\]|\\.)*"|-?Infinity|NaN"#).expect("an expression"));

/// Writes NaN and infinities as an object: where one is read, that is an error that names its key. `None` if there are none.
fn without_nan(text: &str) -> Option<String> {
    let is_json = text.trim_start().starts_with(['{', '[']);
    let has_some = is_json && (text.contains("NaN") || text.contains("Infinity"));
    let written = |found: &regex::Captures<'_>| match &found[0] {
        text if text.starts_with('"') => text.to_owned(),
        _ => "{\"NaN\":null}".to_owned(),
    };
    has_some.then(|| NAN.replace_all(text, written).into_owned())
}

/// Returns the error of a row without a question. `keys`: those that it has.
pub(crate) fn no_question(place: &Place, keys: &str) -> Error {
    let hint =
        "name its place: `--map question=/KEY`, or `--map question=/KEY/KEY` inside an object";
    Error::in_line(place, format_args!("no question that is a text; {keys}"), hint)
}

/// Transposes columns, which are lists or, as pandas writes them, objects by row.
pub(crate) fn columns(place: &Place, object: Row) -> Result<Vec<Row>, Error> {
    let columns = object.into_iter().filter_map(|(name, column)| match column {
        Value::Array(items) => Some((name, items)),
        Value::Object(by_row) => Some((name, by_row.into_iter().map(|(_, item)| item).collect())),
        _ => None,
    });
    let columns: Vec<(String, Vec<Value>)> = columns.collect();
    let Some((first, n_rows)) = columns.first().map(|(name, items)| (name.clone(), items.len()))
    else {
        return Ok(Vec::new());
    };
    if let Some((other, items)) = columns.iter().find(|(_, items)| items.len() != n_rows) {
        let message = format!(
            "columns of unequal length: `{first}` has {n_rows} values, `{other}` {}",
            items.len()
        );
        return Err(Error::in_line(
            place,
            message,
            "write every column for every row, null where there is none",
        ));
    }
    let mut rows = vec![Row::new(); n_rows];
    for (name, items) in columns {
        for (row, item) in rows.iter_mut().zip(items) {
            row.insert(name.clone(), item);
        }
    }
    Ok(rows)
}

/// Reads CSV or TSV, a row at a time. An empty cell is null.
fn table(
    input: &Input,
    header: &str,
    fields: &Fields,
    each: &mut impl FnMut(&Place, Row) -> Result<(), Error>,
) -> Result<(), Error> {
    // Excel names the delimiter on a line of its own.
    let named = header.trim().strip_prefix("sep=").filter(|it| it.len() == 1);
    let text = input.text();
    let skipped = named.and_then(|_| text.find('\n')).map_or(0, |at| at + 1);
    let delimiter = match header {
        _ if named.is_some() => named.unwrap_or_default().as_bytes()[0],
        header if header.contains('\t') => b'\t',
        header if header.contains(';') && !header.contains(',') => b';',
        _ => b',',
    };
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .from_reader(&text.as_bytes()[skipped..]);
    let mut lines = Lines::new(input);
    let refused = |error: csv::Error| {
        let hint = "export the file again";
        Error::new(format!("`{}`: {error}", input.name()), hint)
    };
    let names: Vec<String> =
        reader.headers().map_err(refused)?.iter().map(|it| it.trim().to_owned()).collect();
    let header = lines.place(skipped);
    let names_of = |names: &[String]| {
        let names = names.iter().take(MOST_NAMED).map(|name| format!("`{name}`"));
        names.collect::<Vec<_>>().join(", ")
    };
    let is_asked = |name: &&String| {
        let empty = Value::Object(Row::from_iter([((*name).clone(), Value::Bool(true))]));
        ["question", "id"].iter().any(|field| fields.has("row", field, &empty))
    };
    if names.iter().find(is_asked).is_none() {
        let message = format!(
            "neither JSON, nor a table with a question: its first line has the columns {}",
            names_of(&names)
        );
        return Err(Error::in_line(
            &header,
            message,
            "name the column of the question: `--map question=/COLUMN`",
        ));
    }
    if let Some((at, name)) =
        names.iter().enumerate().find(|(at, name)| names[..*at].contains(name))
    {
        let message = format!("column {} is called `{name}` like an earlier one", at + 1);
        return Err(Error::in_line(&header, message, "rename one of the two"));
    }
    for record in reader.records() {
        let record = record.map_err(refused)?;
        let start = record.position().map_or(0, csv::Position::byte);
        let place = lines.place(skipped + usize::try_from(start).unwrap_or(0));
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        if record.len() != names.len() {
            let message = format!("{} cells, but {} columns", record.len(), names.len());
            return Err(Error::in_line(
                &place,
                message,
                "quote cells that hold the delimiter, a quotation mark or a line break",
            ));
        }
        let cell = |cell: &str| match cell.trim() {
            "" => Value::Null,
            _ => Value::String(cell.to_owned()),
        };
        let row = names.iter().cloned().zip(record.iter().map(cell)).collect();
        each(&place, row)?;
    }
    Ok(())
}

/// Describes the keys of an object in an error.
pub(crate) fn keys(object: &Row) -> String {
    let mut keys: Vec<String> =
        object.keys().take(MOST_NAMED).map(|key| format!("`{key}`")).collect();
    if object.len() > MOST_NAMED {
        keys.push("...".to_owned());
    }
    if keys.is_empty() {
        "it has no keys".to_owned()
    } else {
        format!("it has {}", keys.join(", "))
    }
}

#[cfg(test)]
mod tests;
