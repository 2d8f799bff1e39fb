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
  BREAKS_OFF,
  KEPT_LINES,
  MISSING_QUOTE,
  RESUME,
  ERROR_STRING,
  ERROR_SENTINEL,
};

// Bounds on looking ahead, so that no input makes it cost more than its length times a constant.
enum {
  MAX_BLANKS = 4096,       // white space before the next token
  MAX_COMMENT = 2048,      // characters of comments between two statements
  MAX_NAME = 256,          // a predicate's name
  MAX_HEAD = 512,          // a rule's head
  MAX_LINE = 4096,         // what follows a string on its last line
  MAX_ERROR_STRING = 8192, // a string inside error recovery
  GROUP_SAMPLE = 32,       // characters that decide where a group ends
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

// ---- What follows --------------------------------------------------------------------------

// Does a statement start here, at column 0?
enum Start {
  NO_START,
  NAME_START, // `name(`: a premise may look the same
  SURE_START, // `Decl `, `Package `, `Use `, `name :-`
};

// A name that starts with `fn:` is an argument of a long call, never a statement.
static enum Start read_start(TSLexer *lexer) {
  static const char *const keywords[] = {"Decl", "Package", "Use"};
  bool function = true, keyword[3] = {true, true, true};
  uint32_t length = 0;
  if (!is_lower(lexer->lookahead) && !is_upper(lexer->lookahead) && lexer->lookahead != ':') return NO_START;
  for (; length < MAX_NAME; length++) {
    int32_t c = lexer->lookahead;
    if (!is_word(c) && c != ':' && c != '.') break;
    if (length < 3 && c != "fn:"[length]) function = false;
    for (int k = 0; k < 3; k++) {
      if (keyword[k] && c != keywords[k][length]) keyword[k] = false;
    }
    advance(lexer);
  }
  if (function && length >= 3) return NO_START;
  int32_t c = lexer->lookahead;
  if ((keyword[0] && length == 4) || (keyword[1] && length == 7) || (keyword[2] && length == 3)) {
    if (is_blank(c)) return SURE_START;
  }
  for (uint32_t n = 0; n < 8 && (c == ' ' || c == '\t'); n++) {
    advance(lexer);
    c = lexer->lookahead;
  }
  if (c == '(') return NAME_START;
  if (c != ':') return NO_START;
  advance(lexer);
  return lexer->lookahead == '-' ? SURE_START : NO_START;
}

static bool at_statement_start(TSLexer *lexer) { return read_start(lexer) != NO_START; }

// The scanner stands on the `(` of a head or premise. Does an arrow follow its `)`?
static bool is_rule_head(TSLexer *lexer) {
  uint32_t depth = 0;
  for (uint32_t n = 0; n < MAX_HEAD && !lexer->eof(lexer); n++) {
    int32_t c = lexer->lookahead;
    if (depth == 0 && n > 0 && !is_blank(c)) {
      if (c == 0x27F8) return true;
      if (c != ':') return false;
      advance(lexer);
      return lexer->lookahead == '-';
    }
    if (c == '(') depth++;
    if (c == ')') depth--;
    if (c == '.' && depth == 0) return false;
    advance(lexer);
    if (is_quote(c)) {
      while (lexer->lookahead != c) {
        if (lexer->lookahead == '\n' || lexer->eof(lexer) || n++ == MAX_HEAD) return false;
        if (lexer->lookahead == '\\') advance(lexer);
        advance(lexer);
      }
      advance(lexer);
    }
  }
  return false;
}

// ---- Strings -------------------------------------------------------------------------------

// What the last token on a line was, as far as it decides what may come next.
enum Last { OPERATOR, WORD, KEYWORD, STRING, CLOSED };

static bool is_constant(int32_t c) {
  return is_word(c) || c == '.' || c == '~' || c == '%' || c == '-' || c == '/';
}

// Reads a word: a keyword, which another word may follow, or any other. `b` before a quote is part of
// the string.
static enum Last read_word(TSLexer *lexer) {
  static const char *const keywords[] = {
    "Decl", "Package", "Use", "let", "do", "temporal", "descr", "bound", "inclusion", "opt",
  };
  enum { LONGEST = 10 };
  char word[LONGEST];
  uint32_t length = 0;
  for (; is_word(lexer->lookahead); advance(lexer)) {
    if (length < LONGEST) word[length] = (char)lexer->lookahead;
    length++;
  }
  if (length == 1 && word[0] == 'b' && is_quote(lexer->lookahead)) return OPERATOR;
  for (uint32_t k = 0; length < LONGEST && k < sizeof keywords / sizeof *keywords; k++) {
    uint32_t n = 0;
    while (n < length && keywords[k][n] == word[n]) n++;
    if (n == length && keywords[k][n] == 0) return KEYWORD;
  }
  return WORD;
}

// Skips a string that ends on this line; false at the line's end or at `stop`.
static bool skip_line_string(TSLexer *lexer, int32_t stop) {
  int32_t quote = lexer->lookahead;
  advance(lexer);
  while (lexer->lookahead != quote) {
    if (lexer->lookahead == stop || lexer->lookahead == '\n' || lexer->eof(lexer)) return false;
    if (lexer->lookahead == '\\') advance(lexer);
    if (lexer->lookahead != '\n') advance(lexer);
  }
  advance(lexer);
  return true;
}

// Can the rest of this line be Mangle, if the token before it was `last`? Strict about tokens that
// cannot stand side by side, silent about all else: it must never doubt a legal line. White space is
// skipped up to the first token. The quote `stop` ends the question.
static bool line_is_code(TSLexer *lexer, enum Last last, int32_t stop) {
  bool empty = true;
  for (uint32_t n = 0; n < MAX_LINE && !lexer->eof(lexer); n++) {
    int32_t c = lexer->lookahead;
    if (c == stop || c == '#' || (c == '\n' && !empty)) return true;
    if (is_blank(c)) {
      advance(lexer);
      continue;
    }
    empty = false;
    bool operand = last == OPERATOR || last == KEYWORD; // may one start here?
    if (is_word(c)) {
      if (!operand && (last != CLOSED || !is_lower(c))) return false;
      last = read_word(lexer);
      continue;
    }
    switch (c) {
      case '"': case '\'': case '`':
        if (!operand) return false;
        if (!skip_line_string(lexer, stop)) return true;
        last = STRING;
        continue;
      case '/':
        if (!operand) return false;
        advance(lexer);
        if (lexer->lookahead == '/' || !is_constant(lexer->lookahead)) return false;
        while (is_constant(lexer->lookahead)) advance(lexer);
        last = WORD;
        continue;
      case '(': case '[':
        if (last == STRING || last == CLOSED) return false;
        last = OPERATOR;
        break;
      case '{':
        if (!operand) return false;
        last = OPERATOR;
        break;
      case ')': case ']': case '}':
        last = CLOSED;
        break;
      case ',':
        if (last == OPERATOR) return false;
        last = OPERATOR;
        break;
      case ':': // also `:-`
        advance(lexer);
        if (lexer->lookahead == '-') advance(lexer);
        last = OPERATOR;
        continue;
      case '-': case '+': // of a number, a date, `<-[`, `[+[` and so on
        advance(lexer);
        if (lexer->lookahead != '[' && lexer->lookahead != '.' && !is_digit(lexer->lookahead)) return false;
        last = OPERATOR;
        continue;
      case '.': case '!': case '=': case '<': case '>': case '|': case '@': case 0x27F8:
        last = OPERATOR;
        break;
      default:
        return false;
    }
    advance(lexer);
  }
  return true;
}

// The scanner stands at the first line end of a string. If the file ends before a closing quote, or
// what follows the quote cannot follow a string, then that quote is really the first one of the next
// string, and this one lost its own: it is cut. A legal string never is. Where it is cut depends on
// its lines: before the first statement at column 0; else at once, if code comes next; else it is
// text up to the quote, and the mistake is behind it.
static bool scan_string_end(TSLexer *lexer, int32_t quote, enum Token goes_on) {
  bool statement = false, first = true, closed = false;
  bool code = lexer->eof(lexer); // there are no lines to keep
  lexer->mark_end(lexer);
  while (!closed && !lexer->eof(lexer)) {
    int32_t c = lexer->lookahead;
    advance(lexer);
    if (c == '\\') {
      if (lexer->lookahead != '\n') advance(lexer);
    } else if (c == '\n') {
      bool word = is_word(lexer->lookahead);
      if (!statement && at_statement_start(lexer)) {
        if (first) code = true;
        statement = true;
      } else if (first) {
        code = line_is_code(lexer, word ? WORD : OPERATOR, quote);
      }
      first = false;
    }
    closed = c == quote;
  }
  if (closed && line_is_code(lexer, STRING, 0)) return emit(lexer, goes_on);
  if (code) return emit(lexer, MISSING_QUOTE);
  return emit(lexer, closed && !statement ? goes_on : BREAKS_OFF);
}

// The lines that an unclosed string keeps: up to a statement at column 0, or the end of the file.
static bool scan_kept_lines(TSLexer *lexer) {
  do {
    lexer->mark_end(lexer);
    advance(lexer);
    if (at_statement_start(lexer)) return emit(lexer, KEPT_LINES);
    while (lexer->lookahead != '\n' && !lexer->eof(lexer)) advance(lexer);
  } while (!lexer->eof(lexer));
  lexer->mark_end(lexer);
  return emit(lexer, KEPT_LINES);
}

// Inside error recovery: a whole string of several lines. One on a single line, or one that is not
// closed, is left to the generated lexer.
static bool scan_error_string(TSLexer *lexer) {
  int32_t quote = lexer->lookahead;
  bool lines = false;
  advance(lexer);
  for (uint32_t n = 0; n < MAX_ERROR_STRING && !lexer->eof(lexer); n++) {
    int32_t c = lexer->lookahead;
    advance(lexer);
    if (c == '\n') lines = true;
    if (c == '\\' && lexer->lookahead != '\n') advance(lexer);
    if (c == quote) {
      lexer->mark_end(lexer);
      return lines && line_is_code(lexer, STRING, 0) && emit(lexer, ERROR_STRING);
    }
  }
  return false;
}

// Inside error recovery: the line ends before a statement at column 0, where parsing can resume.
static bool scan_resume(TSLexer *lexer) {
  bool line_start = false;
  for (uint32_t n = 0; is_blank(lexer->lookahead) && n < MAX_BLANKS; n++) {
    line_start = lexer->lookahead == '\n';
    advance(lexer);
    if (line_start) lexer->mark_end(lexer);
  }
  if (line_start) return at_statement_start(lexer) && emit(lexer, RESUME);
  return is_quote(lexer->lookahead) && scan_error_string(lexer);
}

// ---- Recovery ------------------------------------------------------------------------------

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

// The scanner stands on a full stop. It ends a group when the next line says so: what stands behind its
// first word, since the lines of a table of facts all start with the same one.
static bool scan_group_stop(TSLexer *lexer) {
  advance(lexer);
  lexer->mark_end(lexer);
  while (lexer->lookahead == ' ' || lexer->lookahead == '\t' || lexer->lookahead == '\r') advance(lexer);
  if (lexer->lookahead != '\n') return false;
  for (int n = 0; n < 8 && is_blank(lexer->lookahead); n++) advance(lexer);
  for (int n = 0; n < MAX_NAME && is_word(lexer->lookahead); n++) advance(lexer);
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

// Closes whatever is open at the end of the file.
static bool emit_end(TSLexer *lexer, const bool *valid) {
  if (emit_closer(lexer, valid)) return true;
  if (valid[MISSING_DOT]) return emit(lexer, MISSING_DOT);
  return valid[LATE_STOP] && emit(lexer, LATE_STOP);
}

// The same before a statement at column 0, if one starts here. Where a premise or an entry of a list
// may start, `name(` may as well be that, unless an arrow follows it; right after one it is not.
//
// When a whole body of the old tree is used again, the scanner is asked only after the body, and must
// then give what it would give inside, or nothing, for then tree-sitter takes the body apart and asks
// again. Before a comment, which may stand anywhere, not even that helps: there the answer must be the
// same in both places. So a name on its own is no statement behind a comment either.
static bool scan_start(TSLexer *lexer, const bool *valid, enum Start start, bool comment) {
  if (start == NO_START) return false;
  bool entry = valid[MISSING_COMMA] ? comment && valid[LATE_STOP] : valid[LATE_STOP] || valid[MISSING_CLOSER];
  if (start == NAME_START && entry && !is_rule_head(lexer)) return false;
  return emit_end(lexer, valid);
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
      if (lexer->eof(lexer)) return emit_end(lexer, valid);
      return line_start && scan_start(lexer, valid, read_start(lexer), true);
    case ':':
      if (line_start) break;
      advance(lexer);
      if (lexer->lookahead == '-') return emit_closer(lexer, valid);
      // Between premises a built-in predicate (`:lt(…)`); elsewhere the colon of a pair.
      return valid[MISSING_COMMA] && valid[LATE_STOP] && is_lower(lexer->lookahead) && emit(lexer, MISSING_COMMA);
    case 0:
      return lexer->eof(lexer) && emit_end(lexer, valid);
    default:
      break;
  }
  if (line_start && (is_word(lexer->lookahead) || lexer->lookahead == ':')) {
    bool element = is_word(lexer->lookahead);
    enum Start start = read_start(lexer);
    if (start != NO_START) return scan_start(lexer, valid, start, false);
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
  if (valid[ERROR_SENTINEL]) return scan_resume(lexer);
  if (valid[MISSING_QUOTE]) {
    if (valid[DOUBLE_GOES_ON]) return scan_string_end(lexer, '"', DOUBLE_GOES_ON);
    if (valid[SINGLE_GOES_ON]) return scan_string_end(lexer, '\'', SINGLE_GOES_ON);
    if (valid[BACKTICK_GOES_ON]) return scan_string_end(lexer, '`', BACKTICK_GOES_ON);
    lexer->mark_end(lexer);
    return emit(lexer, MISSING_QUOTE);
  }
  if (valid[KEPT_LINES]) return scan_kept_lines(lexer);
  if (valid[RESUME]) return false;
  return scan_recovery(lexer, valid);
}
