"""The kernel contract, read off the source of every kernel: what a compiled function may contain and in which order.

Compiled code that raises, prints, allocates strings or closes over mutable globals works, until it is slow, caches
badly or fails far from the caller's mistake. Which modules kernels may import is import-linter's business.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

import repose_jit.kernels

KERNELS = Path(repose_jit.kernels.__file__).parent
# What compiles and what carries numbers, not what computes.
EXEMPT = {"__init__.py", "_jit.py", "lane_type.py", "lanes.py", "pointer.py", "arrays.py"}
DECORATORS = {"inlined", "jit"}
FILES = sorted(path for path in KERNELS.rglob("*.py") if path.name not in EXEMPT)

BUILTINS = {"abs", "bool", "enumerate", "float", "int", "len", "max", "min", "range", "round", "zip"}
FORBIDDEN = {
    ast.Raise: "raises: return a status code",
    ast.Assert: "asserts: check in the API",
    ast.Try: "catches exceptions",
    ast.With: "opens a context",
    ast.Dict: "builds a dict",
    ast.DictComp: "builds a dict",
    ast.JoinedStr: "builds an f-string",
    ast.FunctionDef: "defines an inner function",
    ast.AsyncFunctionDef: "defines an inner function",
    ast.Lambda: "defines an inner function",
    ast.ClassDef: "defines a class",
    ast.Import: "imports",
    ast.ImportFrom: "imports",
    ast.Global: "assigns a global",
    ast.Nonlocal: "assigns a global",
    ast.Yield: "is a generator",
    ast.YieldFrom: "is a generator",
    ast.Await: "awaits",
}
CHAINS = {"chain", "tree"}
PLACES = ("a chain or tree", "an input or parameter", "scratch (_work)", "output (_out)")


def violations(source: str) -> list[str]:
    """Return one line for every breach of the contract in a kernel file."""
    module = ast.parse(source)
    allowed = BUILTINS | set(known_names(module))
    found = list(ambiguous_differences(module)) if "Lanes" in allowed else []
    for function in ast.walk(module):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            breaches = [*signature_breaches(function, allowed), *body_breaches(function, allowed)]
            found += [f"line {line}: {function.name} {what}" for line, what in breaches]
    return found


def ambiguous_differences(module: ast.Module) -> Iterator[str]:
    """Yield the differences of two products of lanes: which of them is fused depends on the width of vectors."""
    for node in ast.walk(module):
        match node:
            case ast.BinOp(left=ast.BinOp(op=ast.Mult()), op=ast.Sub(), right=ast.BinOp(op=ast.Mult())):
                yield f"line {node.lineno}: {ast.unparse(node)} is not written with product_difference"


def known_names(module: ast.Module) -> Iterator[str]:
    """Yield what a kernel may refer to: constants, functions and NamedTuples of its file, and what it imports."""
    for statement in module.body:
        match statement:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name, bases=[ast.Name("NamedTuple")]):
                yield name
            case ast.Assign(targets=[ast.Name(name)]) | ast.AnnAssign(target=ast.Name(name)) if name.isupper():
                yield name
            case ast.ImportFrom(module=source, names=aliases, level=level):
                parts = (source or "").split(".")
                if level == 1 or parts[0] in {"math", "numpy"} or parts[:2] == ["repose_jit", "kernels"]:
                    yield from (alias.asname or alias.name for alias in aliases if is_from_jit(alias.name, parts[-1]))
            case ast.Import(names=aliases):
                yield from (alias.asname or alias.name for alias in aliases if alias.name in {"math", "numpy"})


def is_from_jit(name: str, home: str) -> bool:
    """Tell whether `name` may come from the file `home`: the decorators have one home, which has nothing else."""
    return (name in DECORATORS) == (home == "_jit")


def signature_breaches(
    function: ast.FunctionDef | ast.AsyncFunctionDef, allowed: set[str]
) -> Iterator[tuple[int, str]]:
    line, arguments = function.lineno, function.args
    match function.decorator_list:
        case [ast.Name(name)] if name in DECORATORS & allowed:
            pass
        case _:
            yield line, "is not decorated by @jit or @inlined from _jit, and by nothing else"
    if isinstance(function, ast.AsyncFunctionDef):
        yield line, "is async"
    if ast.get_docstring(function) is None:
        yield line, "has no docstring"
    if arguments.defaults or any(arguments.kw_defaults):
        yield line, "has default values: they cost 18 us a call"
    if arguments.vararg or arguments.kwarg:
        yield line, "takes *args or **kwargs"
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    for before, after in pairwise(names):
        if place(before) > place(after):
            yield line, f"takes {after}, {PLACES[place(after)]}, after {before}, {PLACES[place(before)]}"


def place(argument: str) -> int:
    """Return where an argument belongs; that inputs precede parameters cannot be read off their names."""
    if argument in CHAINS:
        return 0
    return 2 if argument.endswith("_work") else 3 if argument.endswith("_out") else 1


def body_breaches(function: ast.FunctionDef | ast.AsyncFunctionDef, allowed: set[str]) -> Iterator[tuple[int, str]]:
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    nodes = [node for statement in body for node in ast.walk(statement)]
    arguments = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    local = arguments | {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in nodes:
        match node:
            case ast.Constant(value=str() | bytes()):
                yield node.lineno, f"uses the string {node.value!r}"
            case ast.Name(id="print"):
                yield node.lineno, "prints"
            case ast.Name(id=name) if name not in allowed | local:
                yield (
                    node.lineno,
                    f"uses {name}: neither local, nor an upper-case constant, nor from kernels, numpy or math",
                )
            case _ if type(node) in FORBIDDEN:
                yield node.lineno, FORBIDDEN[type(node)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(KERNELS).as_posix())
def test_kernels_keep_the_contract(path: Path) -> None:
    found = violations(path.read_text(encoding="utf-8"))
    assert not found, "\n".join(found)


def test_there_are_kernels() -> None:
    assert any(path.name == "fk.py" for path in FILES)


SOUND = '''
import math
from typing import NamedTuple
import numpy as np
from repose_jit.kernels import arrays
from repose_jit.kernels._jit import jit
from .lanes import WIDTH, load

LIMIT: float = 1e-9

class Work(NamedTuple):
    """Scratch."""
    q: np.ndarray

@jit
def norm(chain, q, x_work, y_out):
    """Write the norm."""
    total = 0.0
    for i in range(len(q)):
        total += load(x_work, WIDTH * i) + math.sqrt(q[i]) * LIMIT
    y_out[0] = total
    return arrays.CONVERGED

@jit
def twice(x):
    """Return 2x."""
    return Work(norm(x, x, x, x))
'''


def test_a_sound_kernel_passes() -> None:
    assert violations(SOUND) == []


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("@jit\ndef twice", "def twice", "twice is not decorated by @jit"),
        ("@jit\ndef twice", "@jit()\ndef twice", "twice is not decorated by @jit"),
        ("@jit\ndef twice", "@jit\n@jit\ndef twice", "twice is not decorated by @jit"),
        ("@jit\ndef twice", "@jit\nasync def twice", "twice is async"),
        (
            "from repose_jit.kernels._jit import jit",
            "from numba import njit as jit",
            "norm is not decorated by @jit or @inlined",
        ),
        ("from repose_jit.kernels._jit import jit", "from .fk import jit", "norm is not decorated by @jit or @inlined"),
        ('"""Return 2x."""', "pass", "twice has no docstring"),
        ("def twice(x):", "def twice(x=1):", "twice has default values"),
        ("def twice(x):", "def twice(x, *, y=1):", "twice has default values"),
        ("def twice(x):", "def twice(x, *rest):", "twice takes *args"),
        ("def twice(x):", "def twice(x, **rest):", "twice takes *args"),
        ("chain, q, x_work, y_out", "q, chain, x_work, y_out", "norm takes chain, a chain or tree, after q"),
        ("chain, q, x_work, y_out", "chain, x_work, q, y_out", "norm takes q, an input or parameter, after x_work"),
        ("chain, q, x_work, y_out", "chain, q, y_out, x_work", "norm takes x_work, scratch (_work), after y_out"),
        ("chain, q, x_work, y_out", "chain, x_work, y_out, q", "norm takes q, an input or parameter, after y_out"),
        ("total = 0.0", "raise ValueError", "norm raises"),
        ("total = 0.0", "assert q.size", "norm asserts"),
        ("total = 0.0", "print(q)", "norm prints"),
        ("total = 0.0", "total = {}", "norm builds a dict"),
        ("total = 0.0", "total = {i: i for i in q}", "norm builds a dict"),
        ("total = 0.0", "total = f'{q}'", "norm builds an f-string"),
        ("total = 0.0", "total = 'text'", "norm uses the string 'text'"),
        ("total = 0.0", "total = b'text'", "norm uses the string b'text'"),
        ("total = 0.0", "'a comment that is no docstring'", "norm uses the string"),
        ("total = 0.0", "total = (lambda x: x)(0.0)", "norm defines an inner function"),
        ("total = 0.0", "def inner(): pass", "norm defines an inner function"),
        ("total = 0.0", "class Inner: pass", "norm defines a class"),
        ("total = 0.0", "import os", "norm imports"),
        ("total = 0.0", "global LIMIT", "norm assigns a global"),
        ("total = 0.0", "yield 0.0", "norm is a generator"),
        ("total = 0.0", "try: pass\n    except Exception: pass", "norm catches exceptions"),
        ("total = 0.0", "with q: pass", "norm opens a context"),
        ("LIMIT: float = 1e-9", "limit = LIMIT = 1e-9", "norm uses LIMIT"),
        ("LIMIT", "limit", "norm uses limit"),
        ("from .lanes import", "from os.path import", "norm uses load"),
        ("import math", "import cmath as math", "norm uses math"),
        ("class Work(NamedTuple)", "class Work", "twice uses Work"),
        ("total = 0.0", "total = open(q)", "norm uses open"),
    ],
)
def test_every_breach_is_found(before: str, after: str, message: str) -> None:
    assert before in SOUND
    broken = SOUND.replace(before, after)
    assert any(message in line for line in violations(broken)), violations(broken)


def test_a_difference_of_two_products_of_lanes_says_which_is_fused() -> None:
    source = SOUND.replace("import WIDTH, load", "import WIDTH, Lanes, load")
    assert not violations(source)
    ambiguous = source.replace("    total = 0.0\n", "    total = 2.0 * q[0] - 3.0 * q[1]\n", 1)
    assert ambiguous != source
    assert "is not written with product_difference" in "\n".join(violations(ambiguous))
