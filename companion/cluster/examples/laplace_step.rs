//! Runs AutoKG's Laplace step alone on raw arrays, for `benches/autokg_reference.py`.
//!
//! Usage: `laplace_step FOLDER DIMENSION K`. The folder holds little-endian arrays: `chunks.f32` and
//! `keywords.f32` (unit vectors, row-major), and the reference's weight matrix as `offsets.u32`,
//! `columns.u32`, `values.f32`. Written: `members.u8` (a byte a pair, keyword by keyword). Printed: seconds
//! for the neighbour graph, seconds for labels, solves and threshold on the reference's matrix, seconds for
//! W^k, and the largest difference between our weights and the reference's.

use pocketgraph_base::csr::Csr;
use pocketgraph_cluster::Panels;
use pocketgraph_cluster::laplace::{
    AssociationOptions, Kernel, Learning, Threshold, associate_chunks, chunk_graph, nearest_neighbours,
    shared_chunks,
};
use std::path::Path;
use std::time::Instant;

fn numbers<T: bytemuck::Pod>(folder: &Path, name: &str) -> Result<Vec<T>, Box<dyn std::error::Error>> {
    Ok(bytemuck::pod_collect_to_vec(&std::fs::read(folder.join(name))?))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, dim, k] = arguments.as_slice() else {
        return Err("usage: laplace_step FOLDER DIMENSION K".into());
    };
    let (folder, dim, k) = (Path::new(folder), dim.parse::<usize>()?, k.parse::<usize>()?);
    let chunks: Vec<f32> = numbers(folder, "chunks.f32")?;
    let keywords: Vec<f32> = numbers(folder, "keywords.f32")?;
    let chunks = Panels::pack(dim, chunks.chunks_exact(dim));
    let keywords = Panels::pack(dim, keywords.chunks_exact(dim));
    let reference = Csr::new(
        chunks.rows(),
        numbers(folder, "offsets.u32")?,
        numbers(folder, "columns.u32")?,
        numbers::<f32>(folder, "values.f32")?,
    )?;

    let clock = Instant::now();
    let ours = chunk_graph(&chunks, &nearest_neighbours(&chunks, k), Kernel::Gaussian).weights;
    println!("neighbours {:.4}", clock.elapsed().as_secs_f64());

    let options = AssociationOptions {
        n1: 5,
        n2: 35,
        learning: Learning::Laplace,
        threshold: Threshold::Paper,
        cap: 1.0,
        tolerance: 1e-5,
        ranked: 64,
    };
    let clock = Instant::now();
    let found = associate_chunks(&reference, &chunks, &keywords, &options);
    println!("laplace {:.4}", clock.elapsed().as_secs_f64());
    let clock = Instant::now();
    let graph = shared_chunks(&found);
    println!("shared {:.4} ({} entries)", clock.elapsed().as_secs_f64(), graph.stored());

    let mut difference = 0.0f32;
    for i in 0..reference.rows() {
        for (&j, &w) in reference.row(i).0.iter().zip(reference.row(i).1) {
            difference = difference.max((w - ours.get(i, j).unwrap_or(0.0)).abs());
        }
    }
    println!("weights {difference:.2e} ({} and {} entries)", ours.stored(), reference.stored());
    let members: Vec<u8> =
        found.iter().flat_map(|a| (0..chunks.rows() as u32).map(|i| u8::from(a.contains(i)))).collect();
    std::fs::write(folder.join("members.u8"), members)?;
    Ok(())
}
