//! The token table's section: the rows that a question's tokens add up, in the coordinates of the bundle's
//! sketches.

use super::vocabulary::RowOrder;
use super::writer::{Layout, SectionWriter, WriteError};
use pocketgraph::bundle::{Encoding, PagedIndex, SketchIndex};
use pocketgraph::embed::{TableIndex, encode_rows};
use pocketgraph_models::token_table::{TokenTable, dot};
use rayon::prelude::*;

/// Number of rows that share a page: 27 kB. The commonest tokens are on the first, so that a question touches
/// few pages.
const ROWS_PER_PAGE: usize = 512;

/// Writes the table. Rows are only ever compared with sketches, so what sketches cannot say of them is left
/// out: a quarter of the bytes stays.
pub fn token_table(
    w: &mut SectionWriter,
    table: &TokenTable,
    sketches: &SketchIndex,
    order: &RowOrder,
) -> Result<(), WriteError> {
    let bias = sketches.plane_coordinates(&table.bias);
    // The axes once, and not for every row: raising a unit of one coordinate gives that coordinate's axis.
    let axis =
        |i: usize| sketches.raise(&(0..bias.len()).map(|j| f32::from(u8::from(i == j))).collect::<Vec<_>>());
    let axes: Vec<Vec<f32>> = (0..bias.len()).map(axis).collect();
    let down = |row: &[f32]| axes.iter().map(|axis| dot(axis, row)).collect::<Vec<f32>>();
    let rows: Vec<Vec<f32>> = table.rows.par_chunks_exact(table.dim).map(down).collect();
    let mut index = TableIndex { pages: PagedIndex::empty(), bias };
    for tokens in order.pages(ROWS_PER_PAGE) {
        let run: Vec<Vec<f32>> = tokens.iter().filter_map(|&id| rows.get(id).cloned()).collect();
        index.pages.push(w.page("table", &encode_rows(&run), Encoding::Raw)?, run.len() as u32);
    }
    let pages = index.pages.pages.clone();
    w.section("table", &index.encode(), Layout { root: Encoding::Gzip, pages: Encoding::Raw }, &pages)
}
