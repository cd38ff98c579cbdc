//! Responses of common servers read by pointers.

use super::*;

fn mapping(settings: MappingSettings) -> Mapping {
    let mapping = Mapping::new(settings).unwrap_or_else(|error| panic!("{error}"));
    mapping.expect("a pointer is set")
}

fn pointers(contexts: &str, answer: &str) -> MappingSettings {
    MappingSettings {
        contexts: Some(contexts.to_owned()),
        answer: Some(answer.to_owned()),
        ..MappingSettings::default()
    }
}

fn record(settings: MappingSettings, response: &Value) -> Result<Value, String> {
    mapping(settings).record(response.to_string().as_bytes())
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
        record(pointers("/output/context", "/output/answer"), &response),
        Ok(json!({"contexts": response["output"]["context"], "answer": "six minutes"}))
    );
    let settings = MappingSettings {
        doc_ids: Some("/output/context/*/metadata/source".to_owned()),
        ..pointers("/output/context/*/page_content", "/output/answer")
    };
    assert_eq!(
        record(settings, &response),
        Ok(json!({"contexts": [{"text": "Alpha waits.", "doc_id": "a"}], "answer": "six minutes"}))
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
    let settings = MappingSettings {
        doc_ids: Some("/source_nodes/*/node/ref_doc_id".to_owned()),
        scores: Some("/source_nodes/*/score".to_owned()),
        contexts: Some("/source_nodes/*/node/text".to_owned()),
        ..MappingSettings::default()
    };
    // The answer has a name of our own.
    assert_eq!(
        record(settings, &response),
        Ok(json!({
            "contexts": [{"text": "Alpha waits.", "doc_id": "a", "score": 0.5}, {"text": "Beta."}],
            "answer": "six minutes",
        }))
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
        record(pointers("/documents/*/content", "/answers/0/answer"), &response),
        Ok(json!({"contexts": [{"text": "Alpha waits."}], "answer": "six minutes"}))
    );
    let every = pointers("/documents/*/content", "/answers/*/answer");
    assert_eq!(
        record(every, &response).expect_err("two answers"),
        "has several values at `external.answer` = `/answers/*/answer`, not a string"
    );
    let none = json!({"answers": [], "documents": []});
    let found = record(pointers("/documents/*/content", "/answers/*/answer"), &none);
    assert_eq!(
        found.expect_err("no answer"),
        "has an empty list at `external.answer` = `/answers/*/answer`, not a string"
    );
}

#[test]
fn stages_are_lists_of_hits() {
    let settings = MappingSettings {
        stages: [("dense".to_owned(), "/debug/hits".to_owned())].into(),
        ..pointers("/docs", "/a")
    };
    let response = json!({"docs": ["x"], "a": null, "debug": {"hits": ["x", "y"]}});
    assert_eq!(
        record(settings, &response),
        Ok(json!({"contexts": [{"text": "x"}], "answer": null, "stages": {"dense": ["x", "y"]}}))
    );
}

#[test]
fn what_a_pointer_does_not_find_is_said_with_the_keys_that_are_there() {
    let response = json!({"documents": [{"content": "x"}], "a": 1, "t": "y"});
    let refused = |contexts: &str, answer: &str| {
        record(pointers(contexts, answer), &response).expect_err("nothing there")
    };
    assert_eq!(
        refused("/sources/*/text", "/t"),
        "has nothing at `external.contexts` = `/sources/*/text`: the response is an object with `a`, `documents`, `t`"
    );
    assert_eq!(
        refused("/documents/*/text", "/t"),
        "has nothing at `external.contexts` = `/documents/*/text`: at `/documents/0` is an object with `content`"
    );
    assert_eq!(
        refused("/documents", "/answer"),
        "has nothing at `external.answer` = `/answer`: the response is an object with `a`, `documents`, `t`"
    );
    assert_eq!(
        refused("/documents", "/a"),
        "has a number at `external.answer` = `/a`, not a string"
    );
    let answer_alone =
        MappingSettings { answer: Some("/t".to_owned()), ..MappingSettings::default() };
    assert_eq!(
        record(answer_alone, &response).expect_err("no contexts"),
        "has no `contexts`, and `external.contexts` is not set: the response is an object with `a`, `documents`, `t`"
    );
    let uneven =
        MappingSettings { scores: Some("/scores".to_owned()), ..pointers("/documents", "/t") };
    let response = json!({"documents": [{"content": "x"}], "t": "y", "scores": [1, 2]});
    assert_eq!(
        record(uneven, &response).expect_err("uneven"),
        "has 2 at `external.scores` = `/scores`, and 1 contexts"
    );
}

#[test]
fn the_answer_to_given_contexts_needs_no_contexts() {
    let found = mapping(pointers("/docs", "/a")).answer_record(b"{\"a\": \"x\"}");
    assert_eq!(found, Ok(json!({"answer": "x", "stages": {}})));
}

#[test]
fn the_pieces_of_a_stream_are_joined_and_its_contexts_are_in_any_event() {
    let settings = || MappingSettings {
        contexts: Some("/docs".to_owned()),
        stream: Some("/delta".to_owned()),
        ..MappingSettings::default()
    };
    let body = "data: {\"docs\": [\"x\"]}\n\ndata: {\"delta\": \"six \"}\n\ndata: {\"delta\": \"minutes\"}\n\ndata: [DONE]\n\n";
    let found = mapping(settings()).record(body.as_bytes());
    assert_eq!(found, Ok(json!({"contexts": [{"text": "x"}], "answer": "six minutes"})));
    let failed =
        "data: {\"delta\": \"six \"}\n\ndata: {\"error\": {\"message\": \"no index\"}}\n\n";
    let found = mapping(settings()).record(failed.as_bytes());
    let named = "event 2 of the stream (`external.stream` = `/delta`): no index";
    assert_eq!(found, Ok(json!({ "error": named })));
    let other = mapping(settings()).record(b"{\"docs\": [], \"token\": \"a\"}\n{\"token\": \"b\"}");
    assert_eq!(
        other.expect_err("no piece"),
        "has no piece of an answer at `external.stream` = `/delta`; in the first of 2 events, the response is an object with \
         `docs`, `token`"
    );
    let plain = MappingSettings { stream: Some(String::new()), ..MappingSettings::default() };
    let found = mapping(plain).answer_record(b"data: in\n\ndata: 6\n\ndata:  minutes\n\n");
    assert_eq!(found, Ok(json!({"answer": "in6 minutes", "stages": {}})));
}

#[test]
fn a_stream_that_is_not_whole_fails_and_names_the_event_and_the_pointer() {
    let settings = MappingSettings {
        contexts: Some("/docs".to_owned()),
        stream: Some("/delta".to_owned()),
        ..MappingSettings::default()
    };
    let mapping = mapping(settings);
    let begun = "data: {\"docs\": [\"x\"]}\n\ndata: {\"delta\": \"six \"}\n\n";
    for (rest, reason) in [
        (
            "data: {\"delta\": 5}\n\n",
            "has a number at `external.stream` = `/delta` in event 3, not a string: {\"delta\":5}",
        ),
        (
            "data: {\"delta\": [\"m\"]}\n\n",
            "has a list at `external.stream` = `/delta` in event 3, not a string: {\"delta\":[\"m\"]}",
        ),
        (
            "data: {\"delta\": \"min",
            "with `external.stream` = `/delta` ends inside event 3: {\"delta\": \"min",
        ),
        (
            "data: {oops\n\ndata: {\"delta\": \"minutes\"}\n\n",
            "with `external.stream` = `/delta` is not JSON in event 3: key must be a string at line 1 column 2: {oops",
        ),
    ] {
        let body = format!("{begun}{rest}");
        for read in [Mapping::record, Mapping::answer_record] {
            assert_eq!(read(&mapping, body.as_bytes()), Err(reason.to_owned()));
        }
    }
    for error in ["true", "[1]", "{\"code\": 3}"] {
        let body = format!("{begun}data: {{\"error\": {error}}}\n\n");
        let record = mapping.record(body.as_bytes()).expect("an error");
        assert!(record["error"].is_string(), "{record}");
    }
    for none in ["null", "\"\"", "false"] {
        let body = format!("{begun}data: {{\"error\": {none}, \"delta\": null}}\n\n");
        let record = mapping.record(body.as_bytes()).expect("an answer");
        assert_eq!(record["answer"], "six ");
    }
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    let refused = |settings| match Mapping::new(settings) {
        Ok(_) => panic!("accepted"),
        Err(error) => error.to_string(),
    };
    assert_eq!(
        refused(pointers("docs", "/a")),
        "`external.contexts` = `docs` must begin with `/`, like `/sources/*/text`"
    );
    let both = MappingSettings { stream: Some("/d".to_owned()), ..pointers("/docs", "/a") };
    assert!(refused(both).starts_with("`external.stream` must not be set next to"));
    let alone = MappingSettings { scores: Some("/s".to_owned()), ..MappingSettings::default() };
    assert!(refused(alone).starts_with("`external.scores` needs `external.contexts`"));
    assert!(Mapping::new(MappingSettings::default()).expect("valid").is_none());
}
