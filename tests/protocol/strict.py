"""Is a message exactly what the protocol's specification says?

The types of lsprotocol are generated from the specification's own model. Its converter forgives much (it drops what it does
not know and turns "5" into 5), so the types are read here, and nothing is forgiven: unknown members, missing members, null
where a member should be absent, numbers out of range, values that an enumeration does not have.
"""

import enum
import functools
import typing

import attrs
from lsprotocol import types as lsp

ANY = (typing.Any, object)


def message(value, asked=None):
    """What is wrong with a message; `asked` is the method of the request that a response answers."""
    if not isinstance(value, dict):
        return ["is no object"]
    wrong = [] if value.get("jsonrpc") == "2.0" else ["jsonrpc is not 2.0"]
    if "method" in value:
        return wrong + call(value)
    return wrong + response(value, asked)


def call(value):
    """A request or a notification."""
    method = value["method"]
    known = lsp.METHOD_TO_TYPES.get(method)
    if known is None:
        # Our own methods are not the specification's business.
        return [] if method.startswith("mangle/") else [f"unknown method {method}"]
    is_request = known[1] is not None
    allowed = {"jsonrpc", "method", "params"} | ({"id"} if is_request else set())
    wrong = [f"unknown member {name}" for name in value.keys() - allowed]
    if is_request and not isinstance(value.get("id"), (int, str)):
        wrong.append("a request without an id")
    hint = hints(known[0]).get("params", type(None))
    if "params" in value:
        wrong += fits(value["params"], hint, "params")
    elif not accepts_none(hint):
        wrong.append("params are missing")
    return wrong


def response(value, asked):
    """A response: a result or an error, never both."""
    wrong = [f"unknown member {name}" for name in value.keys() - {"jsonrpc", "id", "result", "error"}]
    if ("result" in value) == ("error" in value):
        wrong.append("not exactly one of result and error")
    if "error" in value:
        return wrong + fits(value["error"], lsp.ResponseError, "error")
    known = lsp.METHOD_TO_TYPES.get(asked)
    if known is None:
        return wrong
    return wrong + fits(value.get("result"), hints(known[1]).get("result", type(None)), "result")


def fits(value, hint, path):
    """How `value` differs from the type `hint`, as a list of sentences."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in ANY:
        return []
    if origin is typing.Union:
        return fits_one(value, arguments, path)
    if hint in (None, type(None)):
        return [] if value is None else [f"{path}: not null"]
    if origin is typing.Literal:
        same = any(value == one and type(value) is type(one) for one in arguments)
        return [] if same else [f"{path}: {value!r} is not one of {arguments}"]
    if attrs.has(hint):
        return fits_class(value, hint, path)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        values = [one.value for one in hint]
        return [] if type(value) in (int, str) and value in values else [f"{path}: {value!r} is no {hint.__name__}"]
    if hint in (bool, int, str):
        return [] if type(value) is hint else [f"{path}: {value!r} is no {hint.__name__}"]
    if hint is float:
        return [] if type(value) in (int, float) else [f"{path}: {value!r} is no number"]
    return fits_container(value, origin, arguments, path)


def fits_one(value, hints_, path):
    best = None
    for hint in hints_:
        wrong = fits(value, hint, path)
        if not wrong:
            return []
        # The alternative that is nearest tells most: the one that goes wrong deepest inside, then the one with least.
        rank = (-max(depth(line) for line in wrong), len(wrong))
        best = min(best or (rank, wrong), (rank, wrong), key=lambda one: one[0])
    return best[1] if best else [f"{path}: fits no type"]


def depth(line):
    return line.split(": ")[0].count(".") + line.split(": ")[0].count("[")


def fits_container(value, origin, arguments, path):
    name = getattr(origin, "__name__", str(origin))
    if name in ("Sequence", "list"):
        if not isinstance(value, list):
            return [f"{path}: {value!r:.60} is no list"]
        return [line for at, one in enumerate(value) for line in fits(one, arguments[0], f"{path}[{at}]")]
    if name == "tuple":
        if not isinstance(value, list) or len(value) != len(arguments):
            return [f"{path}: {value!r:.60} is no list of {len(arguments)}"]
        return [line for at, one in enumerate(value) for line in fits(one, arguments[at], f"{path}[{at}]")]
    if name in ("Mapping", "dict"):
        if not isinstance(value, dict):
            return [f"{path}: {value!r:.60} is no object"]
        return [line for key, one in value.items() for line in fits(one, arguments[1], f"{path}.{key}")]
    raise TypeError(f"{path}: a type that this check does not know: {origin} {arguments}")


def fits_class(value, cls, path):
    if not isinstance(value, dict):
        return [f"{path}: {value!r:.60} is no {cls.__name__}"]
    members, wrong = fields(cls), []
    for name in value.keys() - members.keys():
        wrong.append(f"{path}.{name}: {cls.__name__} has no such member")
    for name, (field, hint) in members.items():
        here = f"{path}.{name}"
        if name not in value:
            if field.default is attrs.NOTHING:
                wrong.append(f"{here}: missing")
            continue
        one = value[name]
        if one is None and field.default is None and not lsp.is_special_property(cls, field.name):
            if not any(hint is any_ for any_ in ANY) and typing.Any not in typing.get_args(hint):
                wrong.append(f"{here}: null, where the member has to be absent")
                continue
        problems = fits(one, hint, here)
        wrong += problems
        if not problems and field.validator is not None and one is not None:
            wrong += validated(field, one, here)
    return wrong


def validated(field, value, path):
    """The ranges of numbers, and the words that tell one class from another, are validators in lsprotocol."""
    try:
        field.validator(None, field, value)
    except (ValueError, TypeError) as error:
        return [f"{path}: {str(error).splitlines()[0]:.160}"]
    return []


@functools.cache
def hints(cls):
    return typing.get_type_hints(cls, vars(lsp), vars(lsp))


@functools.cache
def fields(cls):
    """The members by their names in JSON."""
    return {camel(field.name): (field, hints(cls)[field.name]) for field in attrs.fields(cls)}


def camel(name):
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(word.capitalize() for word in rest)


def accepts_none(hint):
    return hint in (None, type(None)) or hint in ANY or type(None) in typing.get_args(hint)


def smallest(hint, name="", uri="untitled:smallest.mg"):
    """The least that fits a type: for requests that nobody serves."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in ANY or accepts_none(hint):
        return None
    if origin is typing.Union:
        return smallest(arguments[0], name, uri)
    if origin is typing.Literal:
        return arguments[0]
    if attrs.has(hint):
        needed = {key: pair for key, pair in fields(hint).items() if pair[0].default is attrs.NOTHING}
        return {key: smallest(one, key, uri) for key, (_, one) in needed.items()}
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return next(iter(hint)).value
    if hint is float:
        return 0.0
    if hint is str:
        return uri if "uri" in name.lower() else ""
    return {bool: False, int: 0, float: 0}.get(hint, {} if getattr(origin, "__name__", "") in ("Mapping", "dict") else [])
