//! Responses of common servers read by pointers.

use super::*;

fn mapping(settings: &ExternalSettings) -> Mapping {
    let mapping = Mapping::new(settings).unwrap_or_else(|error| panic!("{error}"));
    mapping.expect("a pointer is set")
}

fn pointers(contexts: &str, answer: &str) -> ExternalSettings {
    ExternalSettings {
        contexts: Some(contexts.to_owned()),
        answer: Some(answer.to_owned()),
        ..ExternalSettings::default()
    }
}

fn record(settings: &ExternalSettings, response: &Value) -> Result<Value, String> {
    mapping(settings).record(response.to_string().as_bytes(), true)
}

#[test]
fn a_langserve_response_is_read() {
    let response = json!({
        "output": {
            "answer": "six minutes",
            "context": [{"page_content": "Alpha waits.", "metadata": {"source": "a"}, "type": "Document"}],
        },
        "metadata": {"run_id": "1"},
    });
    // Objects are contexts as they are: the record reader knows their fields.
    assert_eq!(
        record(&pointers("/output/context", "/output/answer"), &response),
        Ok(json!({"contexts": response["output"]["context"], "answer": "six minutes"}))
    );
}

#[test]
fn a_llamaindex_response_is_read() {
    let response = json!({
        "response": "six minutes",
        "source_nodes": [
            {"node": {"text": "Alpha waits.", "ref_doc_id": "a"}, "score": 0.5},
            {"node": {"text": "Beta."}, "score": null},
        ],
    });
    let settings = ExternalSettings {
        contexts: Some("/source_nodes".to_owned()),
        ..ExternalSettings::default()
    };
    // The answer has a name of our own.
    assert_eq!(
        record(&settings, &response),
        Ok(json!({"contexts": response["source_nodes"], "answer": "six minutes"}))
    );
}

#[test]
fn a_haystack_response_is_read() {
    let response = json!({
        "query": "?",
        "answers": [{"answer": "six minutes", "score": 0.9}, {"answer": "seven"}],
        "documents": [{"content": "Alpha waits.", "id": "a"}],
    });
    assert_eq!(
        record(&pointers("/documents/*/content", "/answers/0/answer"), &response),
        Ok(json!({"contexts": [{"text": "Alpha waits."}], "answer": "six minutes"}))
    );
    let every = pointers("/documents/*/content", "/answers/*/answer");
    assert_eq!(
        record(&every, &response).expect_err("two answers"),
        "has several values at `external.answer` = `/answers/*/answer`, not a string"
    );
    let none = json!({"answers": [], "documents": []});
    let found = record(&pointers("/documents/*/content", "/answers/*/answer"), &none);
    assert_eq!(
        found.expect_err("no answer"),
        "has an empty list at `external.answer` = `/answers/*/answer`, not a string"
    );
}

#[test]
fn stages_are_lists_of_hits() {
    let settings = ExternalSettings {
        stages: [("dense".to_owned(), "/debug/hits".to_owned())].into(),
        ..pointers("/docs", "/a")
    };
    let response = json!({"docs": ["x"], "a": null, "debug": {"hits": ["x", "y"]}});
    assert_eq!(
        record(&settings, &response),
        Ok(json!({"contexts": [{"text": "x"}], "answer": null, "stages": {"dense": ["x", "y"]}}))
    );
}

#[test]
fn what_a_pointer_does_not_find_is_said_with_the_keys_that_are_there() {
    let response = json!({"documents": [{"content": "x"}], "a": 1, "t": "y"});
    let refused = |contexts: &str, answer: &str| {
        record(&pointers(contexts, answer), &response).expect_err("nothing there")
    };
    assert_eq!(
        refused("/sources/*/text", "/t"),
        "has nothing at `external.contexts` = `/sources/*/text`: there is an object with `a`, `documents`, `t`"
    );
    assert_eq!(
        refused("/documents/*/text", "/t"),
        "has nothing at `external.contexts` = `/documents/*/text`: at `/documents/0` is an object with `content`"
    );
    assert_eq!(
        refused("/documents", "/answer"),
        "has nothing at `external.answer` = `/answer`: there is an object with `a`, `documents`, `t`"
    );
    assert_eq!(
        refused("/documents", "/a"),
        "has a number at `external.answer` = `/a`, not a string"
    );
    let answer_alone =
        ExternalSettings { answer: Some("/t".to_owned()), ..ExternalSettings::default() };
    assert_eq!(
        record(&answer_alone, &response).expect_err("no contexts"),
        "has no `contexts`, and `external.contexts` is not set: there is an object with `a`, `documents`, `t`"
    );
}

#[test]
fn the_answer_to_given_contexts_needs_no_contexts() {
    let found = mapping(&pointers("/docs", "/a")).record(b"{\"a\": \"x\"}", false);
    assert_eq!(found, Ok(json!({"answer": "x", "stages": {}})));
}

#[test]
fn an_error_that_a_response_reports_is_the_record() {
    let mapping = mapping(&pointers("/docs", "/a"));
    for (error, message) in [
        (json!("no index"), "no index"),
        (json!({ "message": "no index" }), "no index"),
        (json!(true), "true"),
        (json!([1]), "[1]"),
        (json!({ "code": 3 }), "{\"code\":3}"),
    ] {
        let body = json!({ "error": error }).to_string();
        assert_eq!(mapping.record(body.as_bytes(), true), Ok(json!({ "error": message })));
        assert_eq!(mapping.record(body.as_bytes(), false), Ok(json!({ "error": message })));
    }
    for none in [json!(null), json!(""), json!(false), json!(0), json!([])] {
        let body = json!({ "error": none, "docs": [], "a": "six" }).to_string();
        assert_eq!(mapping.record(body.as_bytes(), true).expect("an answer")["answer"], "six");
    }
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    let refused = |settings| match Mapping::new(&settings) {
        Ok(_) => panic!("accepted"),
        Err(error) => error.to_string(),
    };
    assert_eq!(
        refused(pointers("docs", "/a")),
        "`external.contexts` = `docs` must begin with `/`, like `/sources/*/text`"
    );
    assert!(Mapping::new(&ExternalSettings::default()).expect("valid").is_none());
}
