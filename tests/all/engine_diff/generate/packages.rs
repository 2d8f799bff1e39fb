//! Programs of several files in packages: qualified names, uses, visibility.

use super::{Random, chance, pick};

pub(super) fn program(random: &mut Random) -> Vec<String> {
    let mut files = Vec::new();
    for at in 0..2 + random.below(2) {
        let mut text = String::new();
        let package = pick(random, &["x", "y", "x.z", ""]);
        if !package.is_empty() {
            text += &format!("Package {package}!\n");
        }
        for used in ["x", "y", "x.z"] {
            if chance(random, 45) && (used != package || chance(random, 5)) {
                text += &format!("Use {used}!\n");
            }
        }
        if chance(random, 30) {
            let private = if chance(random, 50) { " descr [private()]" } else { "" };
            text += &format!("Decl p{at}(X){private}.\n");
        }
        text += &format!("p{at}({at}).\nq({at}).\nq(7).\n");
        for other in 0..2 {
            if other != at && chance(random, 80) {
                text += &format!("p{other}(7).\n");
            }
        }
        for _ in 0..1 + random.below(2) {
            let prefix = pick(random, &["", "", "x.", "y.", "x.z."]);
            let name = pick(random, &["p0", "p1", "q", "q"]);
            let sign = if chance(random, 15) { "!" } else { "" };
            text += &format!("r{at}(X) :- q(X), {sign}{prefix}{name}(X).\n");
        }
        files.push(text);
    }
    files
}
