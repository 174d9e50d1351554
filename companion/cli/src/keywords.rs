//! The numbers of AutoKG as arguments.

use super::endpoint::EndpointArgs;
use clap::ValueEnum;
use miette::Result as Report;
use pocketgraph_cluster::LaplacianKind;
use pocketgraph_cluster::laplace::{Kernel, Learning, Threshold};
use pocketgraph_keywords::autokg::AutoKgOptions;
use pocketgraph_keywords::llm_keywords::LlmKeywords;

/// Options of the keyword graph; the letters are the AutoKG paper's.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Keyword graph (AutoKG; the letters are the paper's)")]
pub struct KeywordArgs {
    /// Build no keyword graph
    #[arg(long)]
    no_keywords: bool,
    /// Let a language model name the keywords; the most that it can cost is printed first
    #[arg(long, conflicts_with = "no_keywords")]
    keywords_llm: bool,
    /// Subject of the documents, for the language model
    #[arg(long, value_name = "WORDS")]
    topic: Option<String>,
    /// Language of the keywords, for the language model [default: the documents']
    #[arg(long, value_name = "NAME")]
    language: Option<String>,
    /// n: number of clusters from which keywords are taken [default: by the corpus's size]
    #[arg(long, value_name = "N")]
    clusters: Option<usize>,
    /// c: number of chunks read near a cluster's centre, and as many others
    #[arg(long, value_name = "N", default_value_t = AutoKgOptions::default().c)]
    chunks_per_cluster: usize,
    /// l1: maximum number of keywords of a cluster
    #[arg(long, value_name = "N", default_value_t = AutoKgOptions::default().l1)]
    keywords_per_cluster: usize,
    /// l2: maximum number of words of a keyword
    #[arg(long, value_name = "N", default_value_t = AutoKgOptions::default().l2)]
    words_per_keyword: usize,
    /// m: number of earlier keywords that the next cluster avoids
    #[arg(long, value_name = "N", default_value_t = AutoKgOptions::default().m)]
    avoid: usize,
    /// K: number of neighbours of a chunk, itself included
    #[arg(long, value_name = "N", default_value_t = AutoKgOptions::default().neighbours)]
    neighbours: usize,
    /// n1: number of chunks labelled as belonging to a keyword
    #[arg(long, value_name = "N", default_value_t = AutoKgOptions::default().n1)]
    n1: usize,
    /// n2: number of chunks labelled as foreign to a keyword
    #[arg(long, value_name = "N", default_value_t = AutoKgOptions::default().n2)]
    n2: usize,
    /// Kernel that turns angles between chunks into weights
    #[arg(long, value_enum, default_value_t = KernelArg::Paper)]
    kernel: KernelArg,
    /// Laplacian of spectral clustering
    #[arg(long, value_enum, default_value_t = LaplacianArg::Symmetric)]
    laplacian: LaplacianArg,
    /// Learning by which labels spread over the chunk graph
    #[arg(long, value_enum, default_value_t = LearningArg::Laplace)]
    learning: LearningArg,
    /// Rule for which chunks belong to a keyword: "paper" (u >= 0.5), "mean+2sd", "both" (u and cosine are
    /// two deviations above their means), or the fraction of chunks with the highest u
    #[arg(long, value_name = "RULE", default_value = "both", value_parser = parse_threshold)]
    threshold: Threshold,
    /// Largest fraction of all chunks that may belong to one keyword
    #[arg(long, value_name = "FRACTION", default_value_t = AutoKgOptions::default().cap)]
    cap: f32,
    /// Maximum number of chunks that the graph is computed on; further chunks are attached to these
    #[arg(long, value_name = "N", default_value_t = AutoKgOptions::default().sample)]
    keyword_sample: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KernelArg {
    /// exp(-angle^2 / sqrt(tau_i tau_j))
    Paper,
    /// The graphlearning library's exp(-4 angle^2 / tau_i^2)
    Gaussian,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LaplacianArg {
    /// D - W
    Combinatorial,
    /// I - D^-1 W
    RandomWalk,
    /// I - D^-1/2 W D^-1/2
    Symmetric,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LearningArg {
    /// Harmonic away from the labels
    Laplace,
    /// Labels as sources and sinks
    Poisson,
}

fn parse_threshold(text: &str) -> Result<Threshold, String> {
    match text {
        "paper" => Ok(Threshold::Paper),
        "mean+2sd" => Ok(Threshold::MeanPlusTwoSd),
        "both" => Ok(Threshold::MeanPlusTwoSdOfBoth),
        _ => {
            match text.parse::<f32>() {
                Ok(fraction) if fraction > 0.0 && fraction < 1.0 => Ok(Threshold::Quantile(fraction)),
                _ => Err("neither \"paper\" nor \"mean+2sd\" nor \"both\" nor a fraction between 0 and 1"
                    .to_owned()),
            }
        }
    }
}

impl KeywordArgs {
    /// Returns the language model that names the keywords, if the options ask for one.
    ///
    /// # Errors
    /// If the options ask for a model and name none.
    pub fn llm(&self, endpoint: &EndpointArgs) -> Report<Option<LlmKeywords>> {
        if !self.keywords_llm {
            return Ok(None);
        }
        let (topic, language) = (self.topic.clone(), self.language.clone());
        Ok(Some(LlmKeywords {
            chat: endpoint.config("--keywords-llm")?,
            topic,
            language,
            at_once: endpoint.at_once(),
        }))
    }

    /// Returns the options of the keyword graph, or `None` with `--no-keywords`.
    pub fn options(&self, seed: u64) -> Option<AutoKgOptions> {
        (!self.no_keywords).then(|| AutoKgOptions {
            clusters: self.clusters.map(|n| n.max(1)),
            c: self.chunks_per_cluster.max(1),
            l1: self.keywords_per_cluster,
            l2: self.words_per_keyword.max(1),
            m: self.avoid,
            n1: self.n1.max(1),
            n2: self.n2.max(1),
            neighbours: self.neighbours.max(2),
            kernel: match self.kernel {
                KernelArg::Paper => Kernel::Paper,
                KernelArg::Gaussian => Kernel::Gaussian,
            },
            laplacian: match self.laplacian {
                LaplacianArg::Combinatorial => LaplacianKind::Combinatorial,
                LaplacianArg::RandomWalk => LaplacianKind::RandomWalk,
                LaplacianArg::Symmetric => LaplacianKind::SymmetricNormalised,
            },
            learning: match self.learning {
                LearningArg::Laplace => Learning::Laplace,
                LearningArg::Poisson => Learning::Poisson,
            },
            threshold: self.threshold,
            cap: self.cap,
            sample: self.keyword_sample.max(1),
            seed,
            ..AutoKgOptions::default()
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        keywords: KeywordArgs,
    }

    fn parsed(arguments: &[&str]) -> Option<AutoKgOptions> {
        Line::try_parse_from(std::iter::once(&"x").chain(arguments))
            .unwrap()
            .keywords
            .options(AutoKgOptions::default().seed)
    }

    #[test]
    fn no_arguments_are_the_defaults() {
        assert_eq!(parsed(&[]).unwrap(), AutoKgOptions::default());
        assert_eq!(parsed(&["--no-keywords"]), None);
    }

    #[test]
    fn a_threshold_is_a_rule_or_a_fraction() {
        assert_eq!(parsed(&["--threshold", "0.02"]).unwrap().threshold, Threshold::Quantile(0.02));
        assert_eq!(parsed(&["--threshold", "paper"]).unwrap().threshold, Threshold::Paper);
        assert_eq!(parsed(&["--threshold", "both"]).unwrap().threshold, Threshold::MeanPlusTwoSdOfBoth);
        for wrong in ["2", "0", "-1", "nan", "often"] {
            assert!(parse_threshold(wrong).is_err(), "{wrong}");
        }
    }
}
