/**
 * Mangle, a Datalog language for policies: tree-sitter grammar.
 *
 * The grammar is lenient on purpose. What people write by mistake and what has one obvious
 * meaning gets a node of its own, so that a checker can name it and offer a mend; whether the
 * reference accepts a construct is decided after parsing. README.md, "For those who read the
 * tree", lists these nodes.
 */

/**
 * What stands between two elements. `double_comma` is an empty slot. `missing_comma` may stand only
 * right after an element: its being valid tells the scanner so.
 */
const separator = ($) => choice(',', $.double_comma, $.missing_comma);

/** Elements with one optional trailing comma. `more` is what else may follow an element. */
const list1 = ($, element, ...more) => choice(
  seq(
    element,
    repeat(choice(seq(separator($), element), ...more)),
    optional(choice(',', $.double_comma)),
  ),
  ',', // a lone comma
);
const list = (...parts) => optional(list1(...parts));

/** Left-associative infix arithmetic, which Mangle has not; two levels of precedence. */
const infix = ($, level, operator) => prec.left(level, seq(
  field('left', $._expression),
  field('operator', operator),
  field('right', $._expression),
));

/** A string between `quote`s on one line. */
const line_string = (prefix, quote) => new RegExp(`${prefix}${quote}([^${quote}\\\\\n]|\\\\[^\n])*${quote}`);
/** Its first line, up to the line end; a backslash may stand before that. */
const string_start = (prefix, quote) => new RegExp(`${prefix}${quote}([^${quote}\\\\\n]|\\\\[^\n])*\\\\?`);
/** The rest of it, up to and with the closing quote; a `#` in it starts no comment. */
const string_rest = (quote) => token.immediate(prec(1, new RegExp(`([^${quote}\\\\]|\\\\[^\n]|\\\\\n)*${quote}`)));
/**
 * A string of several lines, or one that is not closed: the scanner finds out which, and how many
 * lines an unclosed one keeps.
 */
const long_string = ($, prefix) => {
  const unclosed = seq(optional(seq($._breaks_off, $._kept_lines)), $.missing_quote);
  return choice(
    seq(string_start(prefix, '"'), choice(seq($._double_goes_on, $._double_rest), unclosed)),
    seq(string_start(prefix, "'"), choice(seq($._single_goes_on, $._single_rest), unclosed)),
    seq(string_start(prefix, '`'), choice(seq($._backtick_goes_on, $._backtick_rest), unclosed)),
  );
};

export default grammar({
  name: 'mangle',

  externals: ($) => [
    $._group_stop,      // a full stop that also ends a hidden group of statements
    $.missing_dot,
    $._late_stop,       // the same, where a body may end
    $.missing_comma,
    $.missing_rparen,
    $._missing_closer,  // of `]`, `}` or `>`
    $._double_goes_on,  // zero-width: the string really has more lines
    $._single_goes_on,
    $._backtick_goes_on,
    $._breaks_off,      // zero-width: it is not closed, but has more lines
    $._kept_lines,      // those lines
    $.missing_quote,    // where a string was cut
    // Made only inside tree-sitter's own error recovery:
    $._resume,          // the line end before a statement
    $._error_string,    // a string of several lines
    $._error_sentinel,  // never made; being valid tells that this is error recovery
  ],

  extras: ($) => [/[ \t\r\n\f]/, $.comment, $.foreign_comment],
  inline: ($) => [$._predicate_name, $._name, $._argument],

  rules: {
    // Statements come in hidden groups. Editing one then costs re-reading its group and the list
    // of groups, not the list of all statements.
    source_file: ($) => seq(repeat($._group), optional($._open_group)),
    _group: ($) => choice(
      $._last,
      prec(1, seq($._statement, repeat($._grouped), $._last)),
    ),
    _open_group: ($) => seq($._statement, repeat($._grouped)),
    // Precedence keeps `_last` out of the repetition. It is written there all the same, because the
    // generator would else make a second copy of every state for statements inside a group.
    _grouped: ($) => choice($._statement, prec(-1, $._last)),
    _statement: ($) => choice($.package, $.use, $.declaration, $.clause, $.query, $._resume),
    _last: ($) => choice(
      alias($._last_declaration, $.declaration),
      alias($._last_clause, $.clause),
      alias($._last_query, $.query),
    ),

    package: ($) => seq(
      'Package',
      field('name', $._predicate_name),
      optional(field('attributes', $.atom_list)),
      choice('!', '.', $.missing_dot),
    ),
    use: ($) => seq(
      'Use',
      field('name', $._predicate_name),
      optional(field('attributes', $.atom_list)),
      choice('!', '.', $.missing_dot),
    ),

    declaration: ($) => seq($._declaration, choice('.', $.missing_dot)),
    _last_declaration: ($) => seq($._declaration, alias($._group_stop, '.')),
    _declaration: ($) => seq(
      'Decl',
      field('predicate', $._head),
      repeat(choice($.temporal, $.descriptors, $.bound, $.inclusion, $.unknown_part)),
    ),
    temporal: () => 'temporal',
    descriptors: ($) => seq('descr', $.atom_list),
    bound: ($) => seq('bound', '[', list($, $._expression), $._rbracket),
    inclusion: ($) => seq('inclusion', $.atom_list),
    unknown_part: ($) => seq(field('name', $._predicate_name), optional($.list)),
    atom_list: ($) => seq('[', list($, $._listed), $._rbracket),
    _listed: ($) => choice($._atom, $._string, $.constant, $.number),

    clause: ($) => choice(
      seq($._clause_head, '.'),
      // Not after a bare atom: a lonely word is rubbish rather than a fact without parentheses.
      seq($._sure_head, $.missing_dot),
      seq($._clause_with_body, choice('.', alias($._late_stop, $.missing_dot))),
    ),
    _last_clause: ($) => seq(
      choice($._clause_head, $._clause_with_body),
      alias($._group_stop, '.'),
    ),
    _clause_head: ($) => choice(
      $._sure_head,
      seq(field('head', $.bare_atom), optional(field('annotation', $.annotation))),
    ),
    _sure_head: ($) => seq(
      field('head', choice($.atom, $.unopened_atom)),
      optional(field('annotation', $.annotation)),
    ),
    _clause_with_body: ($) => seq(
      $._clause_head,
      choice(':-', '⟸', $.wrong_arrow),
      optional($.body),
    ),
    _head: ($) => choice($.atom, $.bare_atom, $.unopened_atom),
    // An atom that lost its `(`: `pX, Y)`. In a body a bare atom, terms and a stray `)` stand for it.
    unopened_atom: ($) => seq(
      field('name', $._name),
      choice(
        seq(',', list($, $._argument), $._rparen),
        seq($._first_argument, repeat(seq(separator($), $._argument)), $._rparen),
        ')',
      ),
    ),
    _first_argument: ($) => choice(
      $.constant, $.number, $.float, $._string, $._bytes, $.list, $.map, $.struct,
    ),
    wrong_arrow: () => choice('<-', '<=', '←', '=>', '->', ':'),
    query: ($) => seq($._query, choice('.', alias($._late_stop, $.missing_dot))),
    _last_query: ($) => seq($._query, alias($._group_stop, '.')),
    _query: ($) => seq(choice('?', '?-'), optional($.body)),

    // Premises
    body: ($) => choice(
      seq($._premises, repeat($.transform)),
      repeat1($.transform),
    ),
    _premises: ($) => list1($, $._premise, $.stray_rparen, seq($.disjunction, $._premise)),
    disjunction: () => ';',
    stray_rparen: () => ')',
    _premise: ($) => choice($._atom, $.negation, $.temporal_premise, $.comparison, $.bare_term),
    // A term where a premise belongs; what is left of an atom that lost its `(` looks like this.
    bare_term: ($) => choice($._bare_term),
    _bare_term: ($) => choice(
      $.variable, $.constant, $.number, $.float, $._string, $._bytes, $.timestamp, $.duration,
      $.list, $.map, $.struct, $.dot_type, $.arithmetic,
    ),
    negation: ($) => seq(
      field('operator', choice('!', 'not', '\\+', '~')),
      choice($._atom, $.comparison, $.temporal_premise, $.negation, $.bare_term),
    ),
    temporal_premise: ($) => choice(
      seq(field('operator', $.temporal_operator), $._atom, optional(field('annotation', $.annotation))),
      seq($._atom, field('annotation', $.annotation)),
      seq(field('operator', $.temporal_operator), $.comparison), // the reference ignores the operator
    ),
    temporal_operator: ($) => seq(
      choice('<-', '[-', '<+', '[+'), '[', list($, $._time_bound), $._rbracket,
    ),
    annotation: ($) => seq('@', '[', list($, $._time_bound), $._rbracket),
    _time_bound: ($) => choice($.now, $._expression),
    now: () => 'now',
    comparison: ($) => seq(
      choice(
        field('left', $._expression),
        seq(field('left', $.variable), field('annotation', $.annotation)), // dropped by the reference
      ),
      field('operator', choice('=', '!=', '<', '<=', '>', '>=', '==', '<>', ':=', '=<')),
      field('right', $._expression),
    ),

    // Transforms
    transform: ($) => seq('|>', list($, choice($.do, $.let, $._premise), $.stray_rparen)),
    do: ($) => seq('do', $._expression),
    let: ($) => seq(
      'let',
      field('variable', choice($.variable, $.bare_name)),
      '=',
      field('value', $._expression),
    ),

    // Atoms and terms. Predicates and functions share one shape: `fn:` names are told apart later.
    _atom: ($) => choice($.atom, $.bare_atom),
    atom: ($) => seq(
      field('name', $._predicate_name),
      '(', list($, $._argument), $._rparen,
    ),
    bare_atom: ($) => field('name', $._name), // `ready.` instead of `ready().`
    _predicate_name: ($) => choice($._name, alias('not', $.identifier), $.variable),
    _argument: ($) => choice(
      $._expression, $.typed_argument, $.bare_mode,
      $.negation, $.comparison,           // after an atom that lost its `)`
    ),

    _expression: ($) => choice(
      $.variable, $.constant, $.number, $.float, $._string, $._bytes,
      $.timestamp, $.duration,          // no terms in the reference; wrapped by a quick fix
      $.atom,                           // function application, or an atom used as a value
      $.bare_name,                      // `x` where a variable was meant
      $.list, $.map, $.struct, $.dot_type,
      $.arithmetic,                     // `X + 1`
    ),
    bare_name: ($) => $._name,
    bare_mode: () => choice('+', '-', '?'), // `mode(+, -)` without quotes
    typed_argument: ($) => seq(           // `A.Type<string>`
      field('name', $.variable), field('type', $.type_name), '<', list($, $._type_member), $._rangle,
    ),
    arithmetic: ($) => choice(
      infix($, 1, choice('+', '-')),
      infix($, 2, choice('*', alias(/\/[ \t]/, '/'))), // `/2` is a constant
    ),
    list: ($) => seq(
      '[',
      list($, $._expression),
      optional(seq('|', field('tail', $._expression), repeat(seq(separator($), $._expression)))),
      $._rbracket,
    ),
    map: ($) => seq(
      '[',
      $.pair,
      repeat(seq(separator($), choice($.pair, $._expression))),
      optional(choice(',', $.double_comma)),
      $._rbracket,
    ),
    struct: ($) => seq('{', list($, choice($.pair, $._expression)), $._rbrace),
    pair: ($) => seq(field('key', $._expression), ':', field('value', $._expression)),
    dot_type: ($) => seq(field('name', $.type_name), '<', list($, $._type_member), $._rangle),
    _type_member: ($) => choice($._expression, $.pair, $.optional_field),
    optional_field: ($) => seq(
      'opt', field('key', $._expression), ':', field('value', $._expression),
    ),

    _rparen: ($) => choice(')', $.missing_rparen),
    _rbracket: ($) => choice(']', alias($._missing_closer, $.missing_rbracket)),
    _rangle: ($) => choice('>', alias($._missing_closer, $.missing_rangle)),
    _rbrace: ($) => choice('}', alias($._missing_closer, $.missing_rbrace)),

    double_comma: () => /,([ \t\r\n]*,)+/, // an empty slot

    _string: ($) => choice($.string, alias($._long_string, $.string)),
    _bytes: ($) => choice($.bytes, alias($._long_bytes, $.bytes)),

    // Tokens. Literals are read generously; ranges, escapes and forms are checked later.
    _name: ($) => choice($.identifier, alias($._built_in, $.identifier)),
    identifier: () => /[a-z]([A-Za-z0-9:_]|\.[A-Za-z0-9:_])*/,
    _built_in: () => /:[a-z]([A-Za-z0-9:_]|\.[A-Za-z0-9:_])*/,
    variable: () => /[A-Z_][A-Za-z0-9_]*/,
    type_name: () => /\.[A-Z]([A-Za-z0-9:_]|\.[A-Za-z0-9:_])*/,
    constant: () => /\/[A-Za-z0-9._~%\-]+(\/[A-Za-z0-9._~%\-]+)*/,
    number: () => /-?[0-9]+/,
    float: () => /-?([0-9]*\.[0-9]+([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)/,
    timestamp: () => /[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z?)?/,
    duration: () => /[0-9]+(d|h|m|s|ms)/,

    // A string on one line is one token. One with a line end is an opening token and, if the scanner
    // finds that it really goes on, the rest. Escapes are checked later.
    string: () => token(choice(line_string('', '"'), line_string('', "'"), line_string('', '`'))),
    bytes: () => token(choice(line_string('b', '"'), line_string('b', "'"), line_string('b', '`'))),
    _long_string: ($) => long_string($, ''),
    _long_bytes: ($) => long_string($, 'b'),
    _double_rest: () => string_rest('"'),
    _single_rest: () => string_rest("'"),
    _backtick_rest: () => string_rest('`'),

    comment: () => token(seq('#', /[^\n]*/)),
    // `// …`, `% …` and `/* … */`, none of which is Mangle. An unclosed one ends with its line. None
    // holds a second `/*`, so that many unclosed ones cost no more than their own length.
    foreign_comment: () => token(choice(
      /\/\/[^\n]*/,
      /%[^\n]*/,
      /\/\*([^*\n]|\*+[^*\/\n])*\**/,
      /\/\*([^/*]|\/[^*]|\*+[^/*])*\*+\//,
    )),
  },
});
