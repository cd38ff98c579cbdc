//! Each form of a file gives the same rows; what is none of them is refused with place and remedy.

use super::*;
use ragtriage_core::hint::Hint;

fn read(name: &str, text: &str) -> Result<Vec<(Option<usize>, Row)>, Error> {
    let mut rows = Vec::new();
    let input = Input::new(name, text.to_owned()).expect("text");
    each(&input, Fields::standard(), |place, row| {
        rows.push((place.line, row));
        Ok(())
    })?;
    Ok(rows)
}

/// The lines of the rows, and the rows as JSON.
fn rows(name: &str, text: &str) -> (Vec<Option<usize>>, String) {
    let (lines, rows): (Vec<_>, Vec<_>) = read(name, text).expect(text).into_iter().unzip();
    (lines, serde_json::to_string(&rows).expect("JSON"))
}

#[test]
fn every_form_of_json_gives_the_same_rows() {
    let expected = r#"[{"question":"a","n":1},{"question":"b","n":2}]"#;
    for (text, lines) in [
        ("{\"question\":\"a\",\"n\":1}\n\n{\"question\":\"b\",\"n\":2}\n", [1, 3]),
        ("[{\"question\":\"a\",\"n\":1},\n{\"question\":\"b\",\"n\":2}]", [1, 2]),
        ("[\n{\"question\":\"a\",\n\"n\":1}, {\"question\":\"b\",\"n\":2}\n]\n", [2, 3]),
        (
            "{\"v\": 1, \"results\": [{\"question\":\"a\",\"n\":1},{\"question\":\"b\",\"n\":2}]}",
            [1, 1],
        ),
        ("{\n \"results\": [\n{\"question\":\"a\",\"n\":1},{\"question\":\"b\",\"n\":2}]}", [1, 1]),
        ("{\"question\":[\"a\",\"b\"],\"n\":[1,2]}", [1, 1]),
        ("{\"question\":{\"0\":\"a\",\"1\":\"b\"},\"n\":{\"0\":1,\"1\":2}}", [1, 1]),
        ("{\"columns\":[\"question\",\"n\"],\"data\":[[\"a\",1],[\"b\",2]]}", [1, 1]),
        (
            "{\"rows\":[{\"row_idx\":0,\"row\":{\"question\":\"a\",\"n\":1}},{\"row_idx\":1,\"row\":{\"question\":\"b\",\"n\":2}}]}",
            [1, 1],
        ),
    ] {
        assert_eq!(rows("f.json", text), (lines.map(Some).to_vec(), expected.to_owned()), "{text}");
    }
}

#[test]
fn a_table_is_read_by_its_header_whatever_its_case_and_delimiter() {
    let expected = r#"[{"Question":"a, \"b\"","x":null},{"Question":"c","x":"=1+2"}]"#;
    for text in [
        "Question,x\n\"a, \"\"b\"\"\",\n\n,\nc,=1+2\n",
        "Question;x\r\n\"a, \"\"b\"\"\";\r\nc;=1+2\r\n",
        "Question\tx\n\"a, \"\"b\"\"\"\t\nc\t=1+2",
    ] {
        assert_eq!(rows("f.csv", text).1, expected, "{text}");
    }
    let lines = rows("f.csv", "question,x\n\"a\nb\",1\n\nc,2\n").0;
    assert_eq!(lines, [Some(2), Some(5)], "a cell over two lines, and a blank row");
}

#[test]
fn what_is_no_file_of_rows_is_refused_with_place_and_remedy() {
    for (name, text, expected, remedy) in [
        (
            "f",
            "a,b\n1,2",
            "`f` line 1: neither JSON, nor a table with a question: its first line has the columns `a`, `b`",
            "--map question=/COLUMN",
        ),
        ("f", "question,x\na,b,c", "`f` line 2: 3 cells, but 2 columns", "quote cells"),
        (
            "f",
            "question,x,x\na,b,c",
            "`f` line 1: column 3 is called `x` like an earlier one",
            "rename",
        ),
        (
            "f",
            "{\"a\": 1, \"b\": [2]}",
            "`f` line 1: neither a question nor a list of rows; it has `a`, `b`",
            "--map question=/KEY",
        ),
        (
            "f",
            "{\"a\": [{\"question\": \"\"}], \"b\": [{\"question\": \"\"}]}",
            "`f` line 1: several lists of rows: `a`, `b`",
            "extract one",
        ),
        (
            "f",
            "{\"question\": [\"a\", \"b\"], \"answer\": [\"x\"]}",
            "`f` line 1: columns of unequal length: `question` has 2 values, `answer` 1",
            "null where there is none",
        ),
        (
            "f",
            "[{\"question\": \"a\"}\n{}]",
            "`f` line 2: the array does not go on after this object",
            "finished",
        ),
        ("f", "[{\"question\": \"a\"},", "`f` line 1: the array does not end", "finished"),
        (
            "f.jsonl",
            "{\"question\": \"a\"}\n{\"question\": \"a\"\n",
            "`f.jsonl` line 2 column 16: not a JSON object: EOF while parsing an object",
            "one JSON object per line",
        ),
        (
            "f.jsonl",
            "question: a",
            "`f.jsonl` line 1 column 1: not a JSON object: expected value",
            "one JSON object per line",
        ),
    ] {
        let error = read(name, text).expect_err(text);
        assert_eq!(error.to_string(), expected);
        assert!(error.hint().expect("a hint").contains(remedy), "{text}: {:?}", error.hint());
    }
}

#[test]
fn of_several_lists_the_one_with_questions_is_read_also_below_other_objects() {
    let expected = r#"[{"question":"a","answer":"x"}]"#;
    for text in [
        r#"{"results": {"prompts": [{"raw": "p"}], "results": [{"question":"a","answer":"x"}]}, "config": {"tests": [{"question": "a"}]}}"#,
        r#"{"testRunData": {"testCases": [{"question":"a","answer":"x"}], "metricsScores": [{"metric": "m"}]}, "hyper": [{"k": 1}]}"#,
    ] {
        assert_eq!(rows("f.json", text).1, expected, "{text}");
    }
    let text = r#"{"a": {"b": [{"x": 1}], "c": [{"x": 1}]}}"#;
    let error = read("f.json", text).expect_err("none has questions");
    assert!(error.to_string().ends_with("several lists of rows: `a.b`, `a.c`"), "{error}");
    assert_eq!(error.hint().as_deref(), Some("extract one, for instance with `jq .a.b`"));
    let text = r#"{"question": [{"role": "user", "content": "a"}], "contexts": ["b", "c"]}"#;
    assert_eq!(read("f.json", text).expect("a row").len(), 1);
}

#[test]
fn nan_is_an_object_and_excel_may_name_the_delimiter() {
    let text = r#"{"question":"NaN \" NaN","a":NaN,"b":[-Infinity]}"#;
    let expected = r#"[{"question":"NaN \" NaN","a":{"NaN":null},"b":[{"NaN":null}]}]"#;
    assert_eq!(rows("f.jsonl", text).1, expected);
    let (lines, read) = rows("f.csv", "sep=;\r\nquestion;x\r\na, b;1\r\n");
    assert_eq!((lines, read.as_str()), (vec![Some(3)], r#"[{"question":"a, b","x":"1"}]"#));
}

#[test]
fn a_pointer_enters_a_cell_that_holds_json() {
    let cell = "question,context\na,\"{\"\"sentences\"\": [\"\"b c\"\"]}\"\n";
    let input = Input::new("f.csv", cell.to_owned()).expect("text");
    let fields = Fields::mapped(&["contexts=/context/sentences".to_owned()]).expect("a pointer");
    let mut found = Vec::new();
    each(&input, &fields, |_, row| {
        found.extend(fields.find("row", "contexts", &Value::Object(row)));
        Ok(())
    })
    .expect("reads");
    assert_eq!(found, [serde_json::json!(["b c"])]);
}

#[test]
fn a_mapped_field_must_be_in_every_row() {
    let input = Input::new("f", "{\"q\": {\"text\": \"a\"}}".to_owned()).expect("text");
    let map = |map: &str| Fields::mapped(&[map.to_owned()]);
    let fields = map("question=/q/text").expect("a pointer");
    let mut asked = Vec::new();
    each(&input, &fields, |_, row| {
        asked.extend(fields.find("row", "question", &Value::Object(row)));
        Ok(())
    })
    .expect("reads");
    assert_eq!(asked, ["a"]);
    let fields = map("question=/q/txt").expect("a pointer");
    let error = each(&input, &fields, |_, _| Ok(())).expect_err("missing").to_string();
    assert_eq!(
        error,
        "`f` line 1: nothing at `question` = `/q/txt`: at `/q` is an object with `text`"
    );
    let refused = |text: &str| map(text).expect_err(text).to_string();
    assert_eq!(refused("qestion=/q"), "there is no field `qestion`");
    assert!(refused("question=q").starts_with("field `question` = `q` must begin with `/`"));
}
