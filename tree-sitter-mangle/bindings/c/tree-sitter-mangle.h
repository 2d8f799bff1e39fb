#ifndef TREE_SITTER_MANGLE_H_
#define TREE_SITTER_MANGLE_H_

typedef struct TSLanguage TSLanguage;

#ifdef __cplusplus
extern "C" {
#endif

// The Mangle grammar, for ts_parser_set_language.
const TSLanguage *tree_sitter_mangle(void);

#ifdef __cplusplus
}
#endif

#endif
