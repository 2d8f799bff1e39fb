/**
 * Mangle, a Datalog language for policies: tree-sitter grammar.
 *
 * The grammar is lenient on purpose. What people write by mistake and what has one obvious
 * meaning gets a node of its own, so that the checker can name it and offer a mend; whether the
 * reference accepts a construct is decided after parsing.
 */

/** A possibly empty list with one optional trailing comma. */
const list = (x) => optional(seq(x, repeat(seq(',', x)), optional(',')));
const list1 = (x) => seq(x, repeat(seq(',', x)), optional(','));

export default grammar({
  name: 'mangle',

  extras: ($) => [/[ \t\r\n\f]/, $.comment],
  word: ($) => $.identifier,
  supertypes: ($) => [],

  rules: {
    source_file: ($) => repeat($._statement),

    _statement: ($) => choice($.package, $.use, $.declaration, $.clause),

    package: ($) => seq('Package', field('name', $.identifier), optional(field('attributes', $.atom_list)), choice('!', '.')),
    use: ($) => seq('Use', field('name', $.identifier), optional(field('attributes', $.atom_list)), choice('!', '.')),

    declaration: ($) => seq(
      'Decl',
      field('predicate', $._atom),
      repeat(choice($.temporal, $.descriptors, $.bound, $.inclusion)),
      '.',
    ),
    temporal: () => 'temporal',
    descriptors: ($) => seq('descr', $.atom_list),
    bound: ($) => seq('bound', '[', list($._expression), ']'),
    inclusion: ($) => seq('inclusion', $.atom_list),
    atom_list: ($) => seq('[', list($._atom), ']'),

    clause: ($) => seq(
      field('head', $._atom),
      optional(field('annotation', $.annotation)),
      optional(seq(choice(':-', '⟸'), optional($.body))),
      '.',
    ),
    body: ($) => seq(list1($._premise), repeat($.transform)),

    // premises
    _premise: ($) => choice($._atom, $.negation, $.temporal_premise, $.comparison),
    negation: ($) => seq(field('operator', choice('!', 'not', '\\+', '~')), choice($._atom, $.comparison, $.temporal_premise)),
    temporal_premise: ($) => choice(
      seq(field('operator', $.temporal_operator), $._atom, optional($.annotation)),
      seq($._atom, $.annotation),
    ),
    temporal_operator: ($) => seq(choice('<-', '[-', '<+', '[+'), '[', list1($._time_bound), ']'),
    annotation: ($) => seq('@', '[', list1($._time_bound), ']'),
    _time_bound: ($) => choice($.timestamp, $.duration, $.variable, $.now),
    now: () => 'now',
    comparison: ($) => seq(
      field('left', $._expression),
      field('operator', choice('=', '!=', '<', '<=', '>', '>=', '==', '<>', ':=')),
      field('right', $._expression),
    ),

    // transforms
    transform: ($) => seq('|>', choice(
      seq($.do, repeat(seq(',', $.let))),
      seq($.let, repeat(seq(',', $.let))),
    )),
    do: ($) => seq('do', $._expression),
    let: ($) => seq('let', field('variable', $.variable), '=', field('value', $._expression)),

    // atoms and terms. Predicates and functions share one shape: `fn:` names are told apart later.
    _atom: ($) => choice($.atom, $.bare_atom),
    atom: ($) => seq(field('name', $.identifier), '(', list($._expression), ')'),
    bare_atom: ($) => $.identifier, // `ready.` instead of `ready().`

    _expression: ($) => choice(
      $.variable, $.constant, $.number, $.float, $.string, $.bytes,
      $.timestamp, $.duration,          // not terms in the reference; wrapped by a quick fix
      $.atom,                           // function application, or an atom used as a value
      $.bare_name,                      // `x` where a variable was meant
      $.list, $.map, $.struct, $.dot_type,
      $.bare_mode,                      // `mode(+, -)` without quotes
      $.typed_argument,                 // `A.Type<string>`
      $.arithmetic,                     // `X + 1`
    ),
    list: ($) => seq('[', list($._expression), optional(seq('|', $._expression)), ']'),
    map: ($) => seq('[', list1($.pair), ']'),
    struct: ($) => seq('{', list($.pair), '}'),
    pair: ($) => seq(field('key', $._expression), ':', field('value', $._expression)),
    dot_type: ($) => seq(field('name', $.type_name), '<', list($._type_member), '>'),
    _type_member: ($) => choice($._expression, $.pair, $.optional_field),
    optional_field: ($) => seq('opt', field('key', $._expression), ':', field('value', $._expression)),

    // tokens
    identifier: () => /:?[a-z]([A-Za-z0-9:_]|\.[A-Za-z0-9:_])*/,
    variable: () => /[A-Z_][A-Za-z0-9_]*/,
    comment: () => token(seq('#', /[^\n]*/)),
  },
});
