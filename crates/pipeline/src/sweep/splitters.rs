//! The configuration of chunks as arguments of LangChain's and LlamaIndex' splitters.
//!
//! Only where a splitter cuts by the same rule: its boundaries are near ours, not the same. Both count by `tiktoken`'s
//! encodings, or characters.

use ragtriage_core::chunk::Strategy;
use ragtriage_core::config::ChunkingSettings;
use ragtriage_core::text::tokens::Tokenizer;

/// Returns one line for each library that has an equivalent splitter.
pub(super) fn splitters(chunking: &ChunkingSettings) -> Vec<String> {
    let Some((lang_chain, llama_index)) = constructors(chunking) else {
        return Vec::new();
    };
    let lang_chain = Some(("LangChain", lang_chain));
    let llama_index = llama_index.map(|splitter| ("LlamaIndex", splitter));
    let splitters = [lang_chain, llama_index].into_iter().flatten();
    splitters.map(|(library, splitter)| format!("{library}: {splitter}")).collect()
}

fn constructors(chunking: &ChunkingSettings) -> Option<(String, Option<String>)> {
    let sizes = format!("chunk_size={}, chunk_overlap={}", chunking.size, chunking.overlap);
    let encoding = match chunking.tokenizer {
        Tokenizer::Cl100kBase | Tokenizer::O200kBase => Some(chunking.tokenizer.name()),
        Tokenizer::Chars => None,
        Tokenizer::Words | Tokenizer::Model => return None,
    };
    let by_characters = |splitter: &str, more: &str| match encoding {
        Some(name) => {
            format!("{splitter}.from_tiktoken_encoder(encoding_name=\"{name}\", {sizes}{more})")
        }
        None => format!("{splitter}({sizes}{more})"),
    };
    let by_tokens = |splitter: &str| {
        let name = encoding?;
        Some(format!("{splitter}({sizes}, tokenizer=tiktoken.get_encoding(\"{name}\").encode)"))
    };
    match chunking.strategy {
        Strategy::Recursive | Strategy::Markdown if !chunking.separators.is_empty() => {
            let separators = serde_json::to_string(&chunking.separators).expect("plain strings");
            let more = format!(", separators={separators}, keep_separator=True");
            Some((by_characters("RecursiveCharacterTextSplitter", &more), None))
        }
        Strategy::Recursive | Strategy::Paragraph => Some((
            by_characters("RecursiveCharacterTextSplitter", ""),
            by_tokens("SentenceSplitter"),
        )),
        Strategy::Markdown => Some((by_characters("MarkdownTextSplitter", ""), None)),
        Strategy::Fixed => Some((
            format!("TokenTextSplitter(encoding_name=\"{}\", {sizes})", encoding?),
            by_tokens("TokenTextSplitter"),
        )),
        Strategy::Document | Strategy::File => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(strategy: Strategy, tokenizer: Tokenizer, separators: &[&str]) -> Vec<String> {
        splitters(&ChunkingSettings {
            strategy,
            tokenizer,
            separators: separators.iter().map(|&text| text.to_owned()).collect(),
            ..ChunkingSettings::default()
        })
    }

    /// Constructed by langchain-text-splitters 1.1.3 and llama-index-core; see docs/src/tuning.md.
    #[test]
    fn sizes_and_counters_become_arguments() {
        assert_eq!(
            of(Strategy::Recursive, Tokenizer::Cl100kBase, &[]),
            [
                "LangChain: RecursiveCharacterTextSplitter.from_tiktoken_encoder(encoding_name=\"cl100k_base\", chunk_size=200, chunk_overlap=40)",
                "LlamaIndex: SentenceSplitter(chunk_size=200, chunk_overlap=40, tokenizer=tiktoken.get_encoding(\"cl100k_base\").encode)",
            ]
        );
        assert_eq!(
            of(Strategy::Fixed, Tokenizer::O200kBase, &[]),
            [
                "LangChain: TokenTextSplitter(encoding_name=\"o200k_base\", chunk_size=200, chunk_overlap=40)",
                "LlamaIndex: TokenTextSplitter(chunk_size=200, chunk_overlap=40, tokenizer=tiktoken.get_encoding(\"o200k_base\").encode)",
            ]
        );
        assert_eq!(
            of(Strategy::Recursive, Tokenizer::Chars, &["\n\n", " "]),
            [
                "LangChain: RecursiveCharacterTextSplitter(chunk_size=200, chunk_overlap=40, separators=[\"\\n\\n\",\" \"], keep_separator=True)"
            ]
        );
        assert_eq!(
            of(Strategy::Markdown, Tokenizer::Chars, &[]),
            ["LangChain: MarkdownTextSplitter(chunk_size=200, chunk_overlap=40)"]
        );
    }

    #[test]
    fn what_no_splitter_does_has_none() {
        for (strategy, tokenizer) in [
            (Strategy::Document, Tokenizer::Cl100kBase),
            (Strategy::File, Tokenizer::Cl100kBase),
            (Strategy::Recursive, Tokenizer::Words),
            (Strategy::Fixed, Tokenizer::Chars),
        ] {
            assert!(of(strategy, tokenizer, &[]).is_empty(), "{strategy}");
        }
    }
}
