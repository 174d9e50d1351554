#![allow(clippy::unwrap_used)]
//! A name in front of a kind's word leaves of a question's answer what is joined to it, where one relation
//! alone joins it and things of that kind.

use super::kinds_tests::{Row, all_answered, answered};

const FILMS: &[Row] = &[
    ("Ash Lane", "film", "starred_actors", "Lena Ortiz", "person"),
    ("Blue Hour", "film", "starred_actors", "Lena Ortiz", "person"),
    ("Cold Ford", "film", "starred_actors", "Lena Ortiz", "person"),
    ("Dry Gulch", "film", "starred_actors", "Tom Keller", "person"),
    ("Ash Lane", "film", "has_genre", "Comedy", "genre"),
    ("Cold Ford", "film", "has_genre", "Comedy", "genre"),
    ("Dry Gulch", "film", "has_genre", "Comedy", "genre"),
    ("Blue Hour", "film", "has_genre", "Drama", "genre"),
    ("Ash Lane", "film", "in_language", "French", "language"),
    ("Blue Hour", "film", "in_language", "French", "language"),
    // A theme that is a place, too.
    ("Ash Lane", "film", "set_in", "Harbour", "place"),
    ("Blue Hour", "film", "has_theme", "Harbour", "place"),
    // A genre is a tag, too, of what is of the genre.
    ("Ash Lane", "film", "has_tag", "comedy", "tag"),
];

const PACKAGES: &[Row] = &[
    ("zetalog", "package", "keyword", "logging", "keyword"),
    ("quorlib", "package", "keyword", "logging", "keyword"),
    ("mirtex", "package", "keyword", "parsing", "keyword"),
    ("zetalog", "package", "maintainer", "Gita Rao", "person"),
    ("quorlib", "package", "maintainer", "Sven Holt", "person"),
    ("mirtex", "package", "maintainer", "Gita Rao", "person"),
];

/// Pots of which kinds no file declares one, as a build infers them.
const POTS: &[Row] = &[
    ("Heron", "pot", "thrown_by", "Ida Voss", "person"),
    ("Kestrel", "pot", "thrown_by", "Ida Voss", "person"),
    ("Merlin", "pot", "thrown_by", "Olaf Grau", "person"),
    ("Heron", "pot", "made_of", "Stoneware", ""),
    ("Kestrel", "pot", "made_of", "Porcelain", ""),
    ("Merlin", "pot", "made_of", "Stoneware", ""),
];

#[test]
fn a_name_in_front_of_a_kind_leaves_what_is_joined_to_it() {
    all_answered(
        FILMS,
        &[
            ("Which comedy films starred Lena Ortiz?", &["Ash Lane", "Cold Ford"]),
            ("Which French films starred Lena Ortiz?", &["Ash Lane", "Blue Hour"]),
            ("Which French comedy films starred Lena Ortiz?", &["Ash Lane"]),
            ("How many comedy films starred Lena Ortiz?", &["2"]),
            ("List the French films.", &["Ash Lane", "Blue Hour"]),
        ],
    );
    all_answered(
        PACKAGES,
        &[
            ("Which logging packages have Gita Rao as maintainer?", &["zetalog"]),
            ("How many logging packages are there?", &["2"]),
        ],
    );
    all_answered(
        POTS,
        &[
            ("Which stoneware pots were thrown by Ida Voss?", &["Heron"]),
            ("Which stoneware pots are there?", &["Heron", "Merlin"]),
        ],
    );
}

#[test]
fn what_is_joined_by_two_relations_or_by_none_or_leaves_nothing_is_not_guessed() {
    for question in [
        "Which harbour films starred Lena Ortiz?",
        "Which horror films starred Lena Ortiz?",
        "Which drama films starred Tom Keller?",
        "Which comedy series starred Lena Ortiz?",
        "Which comedy films won an award?",
        "Which films with Lena Ortiz are not comedy films?",
        "What is the longest comedy film?",
    ] {
        assert_eq!(answered(FILMS, question), None, "{question}");
    }
    for question in [
        "Which parsing packages have Sven Holt as maintainer?",
        "Which async packages have Gita Rao as maintainer?",
    ] {
        assert_eq!(answered(PACKAGES, question), None, "{question}");
    }
    for question in
        ["Which glazed pots were thrown by Ida Voss?", "Which stoneware vases were thrown by Ida Voss?"]
    {
        assert_eq!(answered(POTS, question), None, "{question}");
    }
}
