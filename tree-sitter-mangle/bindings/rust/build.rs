//! Compiles the generated parser and the scanner, optimised in every profile: an unoptimised parser
//! makes tests and a debug server many times slower and has nothing to debug.

fn main() {
    let source = std::path::Path::new("src");
    let mut build = cc::Build::new();
    build.std("c11").include(source).opt_level(2).flag_if_supported("-Wno-unused");
    for file in ["parser.c", "scanner.c"] {
        let path = source.join(file);
        println!("cargo:rerun-if-changed={}", path.display());
        build.file(path);
    }
    println!("cargo:rerun-if-changed=src/tree_sitter/parser.h");
    // WebAssembly without a system has no headers of C: `tree-sitter-language` brings what a parser includes.
    if let Some(headers) = std::env::var_os("DEP_TREE_SITTER_LANGUAGE_WASM_HEADERS") {
        build.include(headers);
    }
    build.compile("tree-sitter-mangle");
}
