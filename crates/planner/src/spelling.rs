//! Words as they are compared: of an irregular verb the base, of a word with a British and an American spelling one of them.

/// Forms of irregular verbs and their bases, in order.
const IRREGULAR: [(&str, &str); 113] = [
    ("arose", "arise"),
    ("ate", "eat"),
    ("awoke", "awake"),
    ("bearing", "bear"),
    ("became", "become"),
    ("began", "begin"),
    ("begun", "begin"),
    ("bent", "bend"),
    ("bit", "bite"),
    ("bitten", "bite"),
    ("blew", "blow"),
    ("blown", "blow"),
    ("bore", "bear"),
    ("bought", "buy"),
    ("bred", "breed"),
    ("broke", "break"),
    ("broken", "break"),
    ("brought", "bring"),
    ("built", "build"),
    ("burnt", "burn"),
    ("caught", "catch"),
    ("chose", "choose"),
    ("chosen", "choose"),
    ("clung", "cling"),
    ("crept", "creep"),
    ("dealt", "deal"),
    ("drank", "drink"),
    ("drawn", "draw"),
    ("drew", "draw"),
    ("driven", "drive"),
    ("drove", "drive"),
    ("drunk", "drink"),
    ("dug", "dig"),
    ("eaten", "eat"),
    ("fed", "feed"),
    ("fled", "flee"),
    ("flew", "fly"),
    ("flown", "fly"),
    ("forbade", "forbid"),
    ("forbidden", "forbid"),
    ("fought", "fight"),
    ("froze", "freeze"),
    ("frozen", "freeze"),
    ("gave", "give"),
    ("given", "give"),
    ("grew", "grow"),
    ("grown", "grow"),
    ("held", "hold"),
    ("hid", "hide"),
    ("hidden", "hide"),
    ("hung", "hang"),
    ("kept", "keep"),
    ("knew", "know"),
    ("known", "know"),
    ("laid", "lay"),
    ("learnt", "learn"),
    ("led", "lead"),
    ("left", "leave"),
    ("lent", "lend"),
    ("made", "make"),
    ("met", "meet"),
    ("mown", "mow"),
    ("overcame", "overcome"),
    ("paid", "pay"),
    ("ran", "run"),
    ("ridden", "ride"),
    ("risen", "rise"),
    ("rode", "ride"),
    ("rose", "rise"),
    ("said", "say"),
    ("sang", "sing"),
    ("sank", "sink"),
    ("sent", "send"),
    ("sewn", "sew"),
    ("shaken", "shake"),
    ("shook", "shake"),
    ("shot", "shoot"),
    ("sold", "sell"),
    ("sought", "seek"),
    ("sown", "sow"),
    ("sped", "speed"),
    ("spent", "spend"),
    ("spoke", "speak"),
    ("spoken", "speak"),
    ("sprang", "spring"),
    ("spun", "spin"),
    ("stole", "steal"),
    ("stolen", "steal"),
    ("stood", "stand"),
    ("struck", "strike"),
    ("sung", "sing"),
    ("sunk", "sink"),
    ("swam", "swim"),
    ("swept", "sweep"),
    ("swore", "swear"),
    ("sworn", "swear"),
    ("swum", "swim"),
    ("taken", "take"),
    ("taught", "teach"),
    ("threw", "throw"),
    ("thrown", "throw"),
    ("told", "tell"),
    ("took", "take"),
    ("understood", "understand"),
    ("wept", "weep"),
    ("won", "win"),
    ("wore", "wear"),
    ("worn", "wear"),
    ("wove", "weave"),
    ("woven", "weave"),
    ("writing", "write"),
    ("written", "write"),
    ("wrote", "write"),
];
/// Plurals that no ending tells, in order.
const PLURALS: [(&str, &str); 9] = [
    ("children", "child"),
    ("feet", "foot"),
    ("geese", "goose"),
    ("men", "man"),
    ("mice", "mouse"),
    ("people", "person"),
    ("teeth", "tooth"),
    ("wives", "wife"),
    ("women", "woman"),
];
/// Words with two spellings that no ending tells, in order.
const SPELT: [(&str, &str); 12] = [
    ("aluminium", "aluminum"),
    ("cheque", "check"),
    ("defence", "defense"),
    ("enrol", "enroll"),
    ("grey", "gray"),
    ("jewellery", "jewelry"),
    ("licence", "license"),
    ("licences", "licenses"),
    ("offence", "offense"),
    ("plough", "plow"),
    ("programme", "program"),
    ("programmes", "programs"),
];
/// British endings, the American ones, and the letters that must stand before them.
const ENDINGS: [(&str, &str, usize); 24] = [
    ("ours", "ors", 3),
    ("oured", "ored", 3),
    ("ouring", "oring", 3),
    ("our", "or", 3),
    ("ising", "izing", 3),
    ("ised", "ized", 3),
    ("iser", "izer", 3),
    ("isers", "izers", 3),
    ("ises", "izes", 3),
    ("ise", "ize", 3),
    ("isation", "ization", 3),
    ("isations", "izations", 3),
    ("ysed", "yzed", 3),
    ("yse", "yze", 3),
    ("tre", "ter", 2),
    ("tres", "ters", 2),
    ("ogue", "og", 3),
    ("ogues", "ogs", 3),
    ("ogued", "oged", 3),
    ("oguing", "oging", 3),
    ("elled", "eled", 3),
    ("elling", "eling", 3),
    ("eller", "eler", 3),
    ("ellers", "elers", 3),
];

fn of(table: &[(&'static str, &'static str)], word: &str) -> Option<&'static str> {
    table.binary_search_by(|(known, _)| (*known).cmp(word)).ok().map(|at| table[at].1)
}

/// A word in lower case as it is compared with others.
pub(super) fn compared(folded: &str) -> String {
    if let Some(base) = of(&IRREGULAR, folded).or_else(|| of(&SPELT, folded)) {
        return base.to_owned();
    }
    // Of two endings the longer one is the word's.
    let fits =
        ENDINGS.iter().filter_map(|(british, american, before)| Some((folded.strip_suffix(british)?, american, before, british.len())));
    let longest = fits.filter(|(begin, _, before, _)| begin.len() >= **before).max_by_key(|(.., length)| *length);
    longest.map_or_else(|| folded.to_owned(), |(begin, american, ..)| format!("{begin}{american}"))
}

/// The singular of a plural that no ending tells.
pub(super) fn singular(folded: &str) -> &str {
    of(&PLURALS, folded).unwrap_or(folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn british_and_american_words_are_one() {
        for (a, b) in [
            ("colour", "color"),
            ("neighbouring", "neighboring"),
            ("organised", "organized"),
            ("organisers", "organizers"),
            ("centre", "center"),
            ("catalogue", "catalog"),
            ("modelled", "modeled"),
            ("programme", "program"),
            ("licence", "license"),
            ("theatres", "theaters"),
        ] {
            assert_eq!(compared(a), compared(b), "{a}");
        }
        for (a, b) in [("hour", "hor"), ("tour", "tor"), ("rise", "rize"), ("called", "caled")] {
            assert_ne!(compared(a), compared(b), "{a}");
        }
    }

    #[test]
    fn tables_can_be_searched() {
        assert!(IRREGULAR.is_sorted() && PLURALS.is_sorted() && SPELT.is_sorted());
        assert_eq!((compared("driven").as_str(), singular("people"), singular("films")), ("drive", "person", "films"));
    }
}
