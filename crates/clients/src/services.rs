//! The services that can be called, with the names of their settings.

use crate::http::ServiceNames;

use crate::Error;

const CHAT_SERVER: &str = "an OpenAI-compatible server";
const CHAT_COMMANDS: &str = " (`ollama serve`, `vllm serve MODEL`, `llama-server -m MODEL.gguf`)";

/// The generator's endpoint.
pub static GENERATION: ServiceNames = chat("generation");
/// The judge's endpoint.
pub static JUDGE: ServiceNames = chat("judge");
/// The encoder's endpoint.
pub static ENCODER: ServiceNames = ServiceNames {
    table: "retrieval.dense",
    url: "endpoint",
    example: "http://localhost:8080/v1",
    path: "/embeddings",
    server: "an OpenAI-compatible server with an embedding model",
    commands: "",
    has_ca_file: true,
};
/// The reranker's endpoint.
pub static RERANKER: ServiceNames = ServiceNames {
    table: "rerank",
    url: "endpoint",
    example: "http://localhost:8080",
    path: "/rerank",
    server: "a reranker with the API `rerank.form`",
    commands: "",
    has_ca_file: true,
};
/// An external RAG.
pub static EXTERNAL: ServiceNames = ServiceNames {
    table: "external",
    url: "url",
    example: "http://localhost:8080/ask",
    path: "",
    server: "the RAG",
    commands: "",
    has_ca_file: false,
};

const fn chat(table: &'static str) -> ServiceNames {
    ServiceNames {
        table,
        url: "base_url",
        example: "http://localhost:8080/v1",
        path: "/chat/completions",
        server: CHAT_SERVER,
        commands: CHAT_COMMANDS,
        has_ca_file: true,
    }
}

/// Creates the error of a setting with an invalid value.
pub(crate) fn bad_setting(names: &ServiceNames, setting: &str, problem: &str) -> Error {
    Error::new(format!("`{}.{setting}` {problem}", names.table))
}

/// Returns an error if one of these numbers is 0.
pub(crate) fn check_positive(names: &ServiceNames, numbers: &[(&str, usize)]) -> Result<(), Error> {
    match numbers.iter().find(|(_, number)| *number == 0) {
        Some((setting, _)) => Err(bad_setting(names, setting, "must be at least 1")),
        None => Ok(()),
    }
}
