// The scanner of the Mangle grammar: what a table-driven lexer cannot do.
//
// It keeps no state and allocates nothing. It makes four kinds of token:
//  - zero-width recovery tokens (`missing_dot`, `missing_comma`, `missing_rparen`, …), so that a
//    forgotten character costs one statement and is reported where it belongs;
//  - the lines of a string after its first, or `missing_quote` where an unclosed string is cut;
//  - a full stop that ends a hidden group of statements, chosen by what follows it;
//  - whole strings inside tree-sitter's own error recovery, where no other token here may be made.
//
// It is called before the generated lexer wherever one of its tokens may stand, so the usual next
// characters are dismissed first.

#include "tree_sitter/parser.h"

enum Token {
  GROUP_STOP,
  MISSING_DOT,
  LATE_STOP,
  MISSING_COMMA,
  MISSING_RPAREN,
  MISSING_CLOSER, // of `]`, `}` or `>`
  DOUBLE_GOES_ON,
  SINGLE_GOES_ON,
  BACKTICK_GOES_ON,
  MISSING_QUOTE,
  ERROR_STRING,
  ERROR_SENTINEL,
};

// Bounds on looking ahead, so that no input makes it cost more than its length times a constant.
enum {
  MAX_BLANKS = 4096,       // white space before the next token
  MAX_COMMENT = 2048,      // characters of comments between two statements
  MAX_NAME = 256,          // a predicate's name
  MAX_ERROR_STRING = 8192, // a string inside error recovery
  GROUP_SAMPLE = 24,       // characters that decide where a group ends
  GROUP_SIZE = 48,         // statements in a group, on average
};

static inline void advance(TSLexer *lexer) { lexer->advance(lexer, false); }
static inline void skip(TSLexer *lexer) { lexer->advance(lexer, true); }

static inline bool is_blank(int32_t c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}
static inline bool is_lower(int32_t c) { return c >= 'a' && c <= 'z'; }
static inline bool is_upper(int32_t c) { return c >= 'A' && c <= 'Z'; }
static inline bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }
static inline bool is_word(int32_t c) {
  return is_lower(c) || is_upper(c) || is_digit(c) || c == '_';
}
static inline bool is_quote(int32_t c) { return c == '"' || c == '\'' || c == '`'; }

static inline bool emit(TSLexer *lexer, enum Token token) {
  lexer->result_symbol = (TSSymbol)token;
  return true;
}

// ---- Strings -------------------------------------------------------------------------------

// Reads up to and including the closing `quote`; false at the end of the file or past `limit`.
static bool read_string_end(TSLexer *lexer, int32_t quote, uint32_t limit, bool *lines) {
  for (uint32_t n = 0; n < limit; n++) {
    int32_t c = lexer->lookahead;
    if (c == 0 && lexer->eof(lexer)) return false;
    if (c == '\n') *lines = true;
    advance(lexer);
    if (c == quote) return true;
    if (c == '\\' && !lexer->eof(lexer)) {
      if (lexer->lookahead == '\n') *lines = true;
      advance(lexer);
    }
  }
  return false;
}

// Can what comes next follow a string? Comments and white space are looked through.
static bool string_may_end_here(TSLexer *lexer) {
  for (uint32_t n = 0; n < MAX_COMMENT; n++) {
    if (lexer->eof(lexer)) return true;
    int32_t c = lexer->lookahead;
    if (c == '#') return true;
    if (!is_blank(c)) {
      switch (c) {
        case ',': case ')': case ']': case '}': case ':': case '=': case '<': case '>':
        case '.': case '|': case '@': case ';':
          return true;
        case '!':
          advance(lexer);
          return lexer->lookahead == '=';
        default:
          return false;
      }
    }
    advance(lexer);
  }
  return true;
}

// The scanner stands at the first line end of a string. A string that the file's end cuts short,
// or whose closing quote is followed by what cannot follow a string, lost its own quote before
// that: it is cut here. A legal string never is.
static bool scan_string_end(TSLexer *lexer, int32_t quote, enum Token goes_on) {
  bool lines = false;
  lexer->mark_end(lexer);
  if (read_string_end(lexer, quote, UINT32_MAX, &lines) && string_may_end_here(lexer)) {
    return emit(lexer, goes_on);
  }
  return emit(lexer, MISSING_QUOTE);
}

// ---- What follows --------------------------------------------------------------------------

// Does a statement start here, at column 0? `name(`, `name :-`, `Decl `, `Package `, `Use `.
// A name that starts with `fn:` is an argument of a long call, never a statement.
static bool at_statement_start(TSLexer *lexer) {
  static const char *const keywords[] = {"Decl", "Package", "Use"};
  bool function = true, keyword[3] = {true, true, true};
  uint32_t length = 0;
  if (!is_lower(lexer->lookahead) && !is_upper(lexer->lookahead) && lexer->lookahead != ':') return false;
  for (; length < MAX_NAME; length++) {
    int32_t c = lexer->lookahead;
    if (!is_word(c) && c != ':' && c != '.') break;
    if (length < 3 && c != "fn:"[length]) function = false;
    for (int k = 0; k < 3; k++) {
      if (keyword[k] && c != keywords[k][length]) keyword[k] = false;
    }
    advance(lexer);
  }
  if (function && length >= 3) return false;
  int32_t c = lexer->lookahead;
  if ((keyword[0] && length == 4) || (keyword[1] && length == 7) || (keyword[2] && length == 3)) {
    return is_blank(c);
  }
  for (uint32_t n = 0; n < 8 && (c == ' ' || c == '\t'); n++) {
    advance(lexer);
    c = lexer->lookahead;
  }
  if (c == '(') return true;
  if (c != ':') return false;
  advance(lexer);
  return lexer->lookahead == '-';
}

// Can an argument, element or premise start with `c`? The scanner stands on it.
static bool at_element_start(TSLexer *lexer) {
  int32_t c = lexer->lookahead;
  if (is_word(c) || is_quote(c) || c == '[' || c == '{' || c == '~' || c == '\\') return true;
  if (c == '/') {
    advance(lexer);
    return is_word(lexer->lookahead);
  }
  if (c == '!') {
    advance(lexer);
    return lexer->lookahead != '=';
  }
  if (c == ':') {
    advance(lexer);
    return is_lower(lexer->lookahead);
  }
  if (c == '<') {
    advance(lexer);
    if (lexer->lookahead != '-' && lexer->lookahead != '+') return false;
    advance(lexer);
    return lexer->lookahead == '[';
  }
  return false;
}

// Skips comments and white space after one; false when they go on for too long.
static bool look_past_comments(TSLexer *lexer, bool *line_start) {
  for (uint32_t n = 0; n < MAX_COMMENT; n++) {
    int32_t c = lexer->lookahead;
    if (c == '#') {
      while (n++ < MAX_COMMENT && lexer->lookahead != '\n' && !lexer->eof(lexer)) advance(lexer);
      continue;
    }
    if (!is_blank(c)) return true;
    *line_start = c == '\n';
    advance(lexer);
  }
  return false;
}

// The scanner stands on a full stop. It ends a group when the next line says so.
static bool scan_group_stop(TSLexer *lexer) {
  advance(lexer);
  lexer->mark_end(lexer);
  while (lexer->lookahead == ' ' || lexer->lookahead == '\t' || lexer->lookahead == '\r') advance(lexer);
  if (lexer->lookahead != '\n') return false;
  for (int n = 0; n < 8 && is_blank(lexer->lookahead); n++) advance(lexer);
  uint32_t hash = 2166136261u;
  for (int n = 0; n < GROUP_SAMPLE && lexer->lookahead != '\n' && !lexer->eof(lexer); n++) {
    hash = (hash ^ (uint32_t)lexer->lookahead) * 16777619u;
    advance(lexer);
  }
  return (hash >> 8) % GROUP_SIZE == 0 && emit(lexer, GROUP_STOP);
}

// A bracket is open here and can only have been forgotten.
static bool emit_closer(TSLexer *lexer, const bool *valid) {
  if (valid[MISSING_RPAREN]) return emit(lexer, MISSING_RPAREN);
  return valid[MISSING_CLOSER] && emit(lexer, MISSING_CLOSER);
}

// Closes whatever is open before the end of a statement that lost its end.
static bool emit_end(TSLexer *lexer, const bool *valid, bool certain) {
  if (emit_closer(lexer, valid)) return true;
  if (valid[MISSING_DOT]) return emit(lexer, MISSING_DOT);
  if (valid[LATE_STOP] && (certain || valid[MISSING_COMMA])) return emit(lexer, LATE_STOP);
  return false;
}

static bool scan_recovery(TSLexer *lexer, const bool *valid) {
  bool line_start = false;
  lexer->mark_end(lexer);
  for (uint32_t n = 0; is_blank(lexer->lookahead); n++) {
    if (n == MAX_BLANKS) return false;
    line_start = lexer->lookahead == '\n';
    skip(lexer);
  }
  switch (lexer->lookahead) {
    case ',': case '(': case '=': case '>': case ']': case '}':
      return false;
    case ')':
      return valid[MISSING_CLOSER] && emit(lexer, MISSING_CLOSER);
    case '.':
      if (valid[GROUP_STOP]) return scan_group_stop(lexer);
      advance(lexer);
      return !is_upper(lexer->lookahead) && !is_digit(lexer->lookahead) && emit_closer(lexer, valid);
    case 0x27F8: case '@': case ';':
      return emit_closer(lexer, valid);
    case '|':
      advance(lexer);
      return lexer->lookahead == '>' && emit_closer(lexer, valid);
    case '#':
      if (!look_past_comments(lexer, &line_start)) return false;
      if (lexer->eof(lexer)) return emit_end(lexer, valid, true);
      return line_start && at_statement_start(lexer) && emit_end(lexer, valid, false);
    case ':':
      if (line_start) break;
      advance(lexer);
      if (lexer->lookahead == '-') return emit_closer(lexer, valid);
      // Between premises a built-in predicate (`:lt(…)`); elsewhere the colon of a pair.
      return valid[MISSING_COMMA] && valid[LATE_STOP] && is_lower(lexer->lookahead) && emit(lexer, MISSING_COMMA);
    case 0:
      if (lexer->eof(lexer)) return emit_end(lexer, valid, true);
      return false;
    default:
      break;
  }
  if (line_start && (is_word(lexer->lookahead) || lexer->lookahead == ':')) {
    bool element = is_word(lexer->lookahead);
    if (at_statement_start(lexer)) return emit_end(lexer, valid, false);
    return element && valid[MISSING_COMMA] && emit(lexer, MISSING_COMMA);
  }
  return valid[MISSING_COMMA] && at_element_start(lexer) && emit(lexer, MISSING_COMMA);
}

// ---- Entry points --------------------------------------------------------------------------

void *tree_sitter_mangle_external_scanner_create(void) { return NULL; }
void tree_sitter_mangle_external_scanner_destroy(void *payload) { (void)payload; }
unsigned tree_sitter_mangle_external_scanner_serialize(void *payload, char *buffer) {
  (void)payload;
  (void)buffer;
  return 0;
}
void tree_sitter_mangle_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  (void)payload;
  (void)buffer;
  (void)length;
}

bool tree_sitter_mangle_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  (void)payload;
  if (valid[ERROR_SENTINEL]) return false;
  if (valid[MISSING_QUOTE]) {
    if (valid[DOUBLE_GOES_ON]) return scan_string_end(lexer, '"', DOUBLE_GOES_ON);
    if (valid[SINGLE_GOES_ON]) return scan_string_end(lexer, '\'', SINGLE_GOES_ON);
    return scan_string_end(lexer, '`', BACKTICK_GOES_ON);
  }
  return scan_recovery(lexer, valid);
}
