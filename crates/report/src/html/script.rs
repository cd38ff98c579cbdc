//! The page's script and the blocks of data that it reads.
//!
//! The script is the files of `assets/` behind one another, in one function. It follows the index, so that the table is
//! there before the rest of a large page is read. A block contains no character that an HTML parser could take for an end.

use crate::questions::PageBlock;

macro_rules! assets {
    ($($name:literal)*) => { [$(include_str!(concat!("assets/", $name, ".js"))),*] };
}

/// In order: definitions before their uses, `main.js` last.
const FILES: [&str; 20] = assets!(
    "words" "text" "longtext" "payload" "location" "filter" "columns" "table" "controls" "parts"
    "answers" "evidence" "explain" "passages" "prompt" "detail" "copy" "keys" "view" "main"
);

/// The text between `<script>` and `</script>`.
pub(super) fn script() -> String {
    format!("(() => {{\n\"use strict\";\n{}}})();\n", FILES.concat())
}

/// The index, the script, the other blocks.
pub(super) fn tail(blocks: &[PageBlock], script: &str, out: &mut String) {
    let Some((index, rest)) = blocks.split_first() else {
        return;
    };
    element(index, out);
    out.push_str("<script>");
    out.push_str(script);
    out.push_str("</script>\n");
    for block in rest {
        element(block, out);
    }
}

fn element(PageBlock { id, text }: &PageBlock, out: &mut String) {
    for piece in ["<script type=\"application/octet-stream\" id=\"", id, "\">", text, "</script>\n"]
    {
        out.push_str(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_is_forgotten_and_nothing_in_them_ends_the_script() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/html/assets");
        let files = std::fs::read_dir(folder)
            .expect("the assets")
            .map(|file| file.expect("readable").path());
        let scripts: Vec<String> = files
            .filter(|path| path.extension().is_some_and(|ending| ending == "js"))
            .map(|path| std::fs::read_to_string(path).expect("text"))
            .collect();
        assert_eq!(scripts.len(), FILES.len());
        assert!(scripts.iter().all(|text| FILES.contains(&text.as_str())));
        let script = script().to_lowercase();
        // What an HTML parser reads in a script: its end, and a comment that would hide it.
        assert!(
            !script.contains("</script") && !script.contains("<!--") && !script.contains("<script")
        );
    }

    #[test]
    fn without_blocks_there_is_no_script() {
        let mut out = String::new();
        tail(&[], "x", &mut out);
        assert_eq!(out, "");
        tail(&[PageBlock { id: "rx-index".to_owned(), text: "QQ==".to_owned() }], "x", &mut out);
        let block = "<script type=\"application/octet-stream\" id=\"rx-index\">QQ==</script>\n";
        assert_eq!(out, format!("{block}<script>x</script>\n"));
    }
}
