//! The questions of an HTML report as they are stored in the file: blocks of compressed JSON.
//!
//! Each block is gzip (RFC 1952), which a browser unpacks by itself, in base64, which has no character that could end an HTML
//! element. Named `rx-index`, `rx-q<run>-<block>` and `rx-p<block>`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use libdeflater::{CompressionLvl, Compressor};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde::Serialize;

use super::page::Questions;

/// A block of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageBlock {
    /// Its element's id.
    pub id: String,
    /// Its content.
    pub text: String,
}

/// The content of a block.
enum BlockContent {
    Index,
    Details(usize, usize),
    Passages(usize, std::ops::Range<usize>),
}

/// The level of compression: the page is 8% larger than by the default one, 6, in a third of the time, which would be a fifth of a
/// report's.
const LEVEL: i32 = 1;

impl Questions<'_> {
    /// All blocks, the index first.
    #[must_use]
    pub fn blocks(&self) -> Vec<PageBlock> {
        let details = self.detail_blocks().into_iter().enumerate();
        let details =
            details.flat_map(|(run, n)| (0..n).map(move |block| BlockContent::Details(run, block)));
        let passages = self.passage_blocks().into_iter().enumerate();
        let passages = passages.map(|(block, numbers)| BlockContent::Passages(block, numbers));
        let parts: Vec<BlockContent> =
            std::iter::once(BlockContent::Index).chain(details).chain(passages).collect();
        parts.into_par_iter().map(|part| self.block(part)).collect()
    }

    fn block(&self, content: BlockContent) -> PageBlock {
        match content {
            BlockContent::Index => block("rx-index".to_owned(), &self.index()),
            BlockContent::Details(run, block) => {
                self::block(format!("rx-q{run}-{block}"), &self.details(run, block))
            }
            BlockContent::Passages(block, numbers) => {
                self::block(format!("rx-p{block}"), &self.passages(numbers))
            }
        }
    }
}

fn block(id: String, content: &impl Serialize) -> PageBlock {
    let json = serde_json::to_vec(content).expect("plain data is JSON");
    let level = CompressionLvl::new(LEVEL).expect("a level of libdeflate");
    let mut compressor = Compressor::new(level);
    let mut gzip = vec![0; compressor.gzip_compress_bound(json.len())];
    let n_bytes = compressor.gzip_compress(&json, &mut gzip).expect("the bound is enough");
    PageBlock { id, text: STANDARD.encode(&gzip[..n_bytes]) }
}
