"""`Lanes`: eight float64 in one value, the SIMD type that kernels are written in.

A kernel over lanes is ordinary arithmetic on eight problems at once; each operation becomes one vector instruction
(two with AVX2), whatever the auto-vectoriser thinks of the loop around it. Comparisons give a mask, `where` chooses by
it, and no lane ever influences another one, so a problem has the same result in any lane and in any company.

Lanes live in flat float64 scratch as rows of eight: row r is ``work[8 * r : 8 * r + 8]``. With the JIT disabled the
same functions run on NumPy rows of eight.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import lower_builtin, type_callable
from numpy.typing import NDArray

from repose_jit.kernels.lane_type import (
    BITS64,
    I64,
    VECTOR,
    WIDTH,
    Lanes,
    LanesType,
    as_vector,
    lane_index,
    lanes_type,
    mask_type,
)

__all__ = [
    "WIDTH",
    "Lanes",
    "absolute",
    "all_lanes",
    "any_lane",
    "gather",
    "get_lane",
    "load",
    "maximum",
    "minimum",
    "product_difference",
    "rint",
    "rotate_quadrant",
    "set_lane",
    "splat",
    "sqrt",
    "store",
    "store_transposed",
    "where",
]


def _integers(value: int) -> ir.Constant:
    return ir.Constant(BITS64, [ir.Constant(I64, value)] * WIDTH)


def _shuffle(builder: Any, a: Any, b: Any, order: list[int]) -> Any:
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), order))


def _call_llvm(builder: Any, name: str, *values: Any) -> Any:
    function_type = ir.FunctionType(VECTOR, [VECTOR] * len(values))
    function = cgutils.get_or_insert_function(builder.module, function_type, f"llvm.{name}.v{WIDTH}f64")
    return builder.call(function, values)


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    if isinstance(array_type, types.CPointer):
        return builder.gep(array, [index])
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(data, [index])


def _is_flat(array: Any, *, writable: bool = False) -> bool:
    if isinstance(array, types.CPointer):
        return bool(array.dtype == types.float64)
    flat = isinstance(array, types.Array) and array.ndim == 1 and array.layout == "C" and array.dtype == types.float64
    return flat and (array.mutable or not writable)


def _compiled(returns: Callable[..., Any], build: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """Give a function that works on NumPy rows of eight its form in compiled code.

    `returns` maps the argument types to the result type, or to None where they do not fit; `build` emits the code.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        @type_callable(function)
        def resolve(context: Any) -> Any:
            def typer(*args: Any) -> Any:
                return returns(*args)

            typer.pysig = inspect.signature(function)  # type: ignore[attr-defined]
            return typer

        @lower_builtin(function, types.VarArg(types.Any))  # type: ignore[untyped-decorator]
        def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return build(context, builder, sig, args)

        return function

    return register


def _if(condition: bool, result: Any) -> Any:
    return result if condition else None


def _are_lanes(*arguments: Any) -> bool:
    return all(isinstance(a, LanesType) for a in arguments)


def _build_splat(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return as_vector(context, builder, args[0], sig.args[0])


@_compiled(lambda x: _if(isinstance(x, types.Number), lanes_type), _build_splat)
def splat(x: float) -> Lanes:
    """Return eight copies of a number."""
    return np.full(WIDTH, x, dtype=np.float64)


def _build_load(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    address = _address(context, builder, sig.args[0], *args)
    return builder.load(builder.bitcast(address, VECTOR.as_pointer()), align=8)


@_compiled(lambda array, start: _if(_is_flat(array), lanes_type), _build_load)
def load(array: NDArray[np.float64], start: int) -> Lanes:
    """Return ``array[start : start + 8]`` of a flat array."""
    return array[start : start + WIDTH].copy()


def _build_store(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    array, start, x = args
    address = _address(context, builder, sig.args[0], array, start)
    vector = as_vector(context, builder, x, sig.args[2])
    builder.store(vector, builder.bitcast(address, VECTOR.as_pointer()), align=8)
    return context.get_dummy_value()


@_compiled(lambda array, start, x: _if(_is_flat(array, writable=True), types.none), _build_store)
def store(array: NDArray[np.float64], start: int, x: Lanes) -> None:
    """Write lanes (or eight copies of a number) to ``array[start : start + 8]`` of a flat array."""
    array[start : start + WIDTH] = x


def _build_gather(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    array, start, stride = args
    vector = ir.Constant(VECTOR, ir.Undefined)
    address = _address(context, builder, sig.args[0], array, start)
    for lane in range(WIDTH):
        place = builder.gep(address, [builder.mul(stride, ir.Constant(stride.type, lane))])
        vector = builder.insert_element(vector, builder.load(place), lane_index(lane))
    return vector


@_compiled(lambda array, start, stride: _if(_is_flat(array), lanes_type), _build_gather)
def gather(array: NDArray[np.float64], start: int, stride: int) -> Lanes:
    """Return ``array[start + k * stride]`` for the lanes k of a flat array."""
    return array[start : start + WIDTH * stride : stride].copy()


def _build_store_transposed(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    array, start, stride, *rows = args
    # Three rounds of exchanges between rows 1, 2 and 4 apart: 24 shuffles instead of 64 extractions.
    low, high = [0, 8, 2, 10, 4, 12, 6, 14], [1, 9, 3, 11, 5, 13, 7, 15]
    for distance in (1, 2, 4):
        for a in (row for row in range(WIDTH) if not row & distance):
            b = a + distance
            rows[a], rows[b] = _shuffle(builder, rows[a], rows[b], low), _shuffle(builder, rows[a], rows[b], high)
        if distance == 1:
            low, high = [0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15]
        else:
            low, high = [0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15]
    address = _address(context, builder, sig.args[0], array, start)
    for lane, row in enumerate(rows):
        place = builder.gep(address, [builder.mul(stride, ir.Constant(stride.type, lane))])
        builder.store(row, builder.bitcast(place, VECTOR.as_pointer()), align=8)
    return context.get_dummy_value()


@_compiled(
    lambda array, start, stride, *rows: _if(_is_flat(array, writable=True) and _are_lanes(*rows), types.none),
    _build_store_transposed,
)
def store_transposed(
    array: NDArray[np.float64],
    start: int,
    stride: int,
    x0: Lanes,
    x1: Lanes,
    x2: Lanes,
    x3: Lanes,
    x4: Lanes,
    x5: Lanes,
    x6: Lanes,
    x7: Lanes,
) -> None:
    """Write lane k of x0 ... x7 to ``array[start + k * stride : ... + 8]`` of a flat array, for every k."""
    for k, row in enumerate(np.array([x0, x1, x2, x3, x4, x5, x6, x7]).T):
        array[start + k * stride : start + k * stride + WIDTH] = row


def _build_get_lane(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.extract_element(args[0], args[1])


@_compiled(lambda x, k: types.float64 if _are_lanes(x) else _if(x == mask_type, types.boolean), _build_get_lane)
def get_lane(x: Lanes, k: int) -> Any:
    """Return the number (or bool) in lane k."""
    return x[k]


def _build_set_lane(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    value = context.cast(builder, args[2], sig.args[2], types.float64)
    return builder.insert_element(args[0], value, args[1])


@_compiled(lambda x, k, value: _if(_are_lanes(x), lanes_type), _build_set_lane)
def set_lane(x: Lanes, k: int, value: float) -> Lanes:
    """Return `x` with another number in lane k."""
    result = x.copy()
    result[k] = value
    return result


def _build_where(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    a, b = (as_vector(context, builder, v, t) for v, t in zip(args[1:], sig.args[1:], strict=True))
    return builder.select(args[0], a, b)


@_compiled(lambda mask, a, b: _if(mask == mask_type, lanes_type), _build_where)
def where(mask: Lanes, a: Lanes, b: Lanes) -> Lanes:
    """Return `a` in the lanes of the mask and `b` in the others; either may be a number."""
    return np.where(mask, a, b)


def _reduce_mask(builder: Any, mask: Any, relation: str, bits: int) -> Any:
    word = builder.bitcast(mask, ir.IntType(WIDTH))
    return builder.icmp_unsigned(relation, word, ir.Constant(word.type, bits))


@_compiled(
    lambda mask: _if(mask == mask_type, types.boolean), lambda context, b, sig, args: _reduce_mask(b, args[0], "!=", 0)
)
def any_lane(mask: Lanes) -> bool:
    """Tell whether the mask is set in any lane."""
    return bool(mask.any())


@_compiled(
    lambda mask: _if(mask == mask_type, types.boolean),
    lambda context, b, sig, args: _reduce_mask(b, args[0], "==", 2**WIDTH - 1),
)
def all_lanes(mask: Lanes) -> bool:
    """Tell whether the mask is set in all lanes."""
    return bool(mask.all())


@_compiled(lambda x: _if(_are_lanes(x), lanes_type), lambda context, b, sig, args: _call_llvm(b, "sqrt", *args))
def sqrt(x: Lanes) -> Lanes:
    """Return the square roots; NaN for negative numbers."""
    return np.sqrt(x)


def _build_product_difference(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    a, b, c, d = args
    return _call_llvm(builder, "fmuladd", a, b, builder.fneg(builder.fmul(c, d)))


@_compiled(lambda a, b, c, d: _if(_are_lanes(a, b, c, d), lanes_type), _build_product_difference)
def product_difference(a: Lanes, b: Lanes, c: Lanes, d: Lanes) -> Lanes:
    """Return a·b − c·d, of which c·d is rounded and a·b is not.

    Written as ``a * b - c * d`` the compiler chooses which product it fuses with the difference, and does not choose
    the same for vectors of four and of eight.
    """
    return a * b - c * d


@_compiled(lambda x: _if(_are_lanes(x), lanes_type), lambda context, b, sig, args: _call_llvm(b, "fabs", *args))
def absolute(x: Lanes) -> Lanes:
    """Return the absolute values."""
    return np.abs(x)


@_compiled(lambda x: _if(_are_lanes(x), lanes_type), lambda context, b, sig, args: _call_llvm(b, "nearbyint", *args))
def rint(x: Lanes) -> Lanes:
    """Return the nearest integers, ties to even."""
    return np.rint(x)


def _build_extremum(relation: str) -> Callable[..., Any]:
    def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        a, b = (as_vector(context, builder, v, t) for v, t in zip(args, sig.args, strict=True))
        return builder.select(builder.fcmp_ordered(relation, a, b), a, b)

    return build


@_compiled(lambda a, b: _if(_are_lanes(a) or _are_lanes(b), lanes_type), _build_extremum("<"))
def minimum(a: Lanes, b: Lanes) -> Lanes:
    """Return the smaller number of each lane; `b` where either is NaN."""
    return np.where(a < b, a, b)


@_compiled(lambda a, b: _if(_are_lanes(a) or _are_lanes(b), lanes_type), _build_extremum(">"))
def maximum(a: Lanes, b: Lanes) -> Lanes:
    """Return the larger number of each lane; `b` where either is NaN."""
    return np.where(a > b, a, b)


def _build_rotate_quadrant(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    shifted, s, c = args
    quadrant = builder.bitcast(shifted, BITS64)
    is_odd = builder.icmp_unsigned("!=", builder.and_(quadrant, _integers(1)), _integers(0))
    sine, cosine = builder.select(is_odd, c, s), builder.select(is_odd, s, c)

    def flip(value: Any, number: Any) -> Any:
        sign = builder.shl(builder.and_(number, _integers(2)), _integers(62))
        return builder.bitcast(builder.xor(builder.bitcast(value, BITS64), sign), VECTOR)

    pair = [flip(sine, quadrant), flip(cosine, builder.add(quadrant, _integers(1)))]
    return context.make_tuple(builder, sig.return_type, pair)


@_compiled(lambda shifted, s, c: _if(_are_lanes(shifted, s, c), types.UniTuple(lanes_type, 2)), _build_rotate_quadrant)
def rotate_quadrant(shifted: Lanes, s: Lanes, c: Lanes) -> tuple[Lanes, Lanes]:
    """Return sine and cosine of r + k·π/2 from those of r.

    `shifted` holds k in its last bits, as left by adding 1.5·2⁵² to a small integer.
    """
    quadrant = shifted.view(np.int64)
    is_odd = (quadrant & 1) != 0
    sine, cosine = where(is_odd, c, s), where(is_odd, s, c)
    return np.where(quadrant & 2, -sine, sine), np.where((quadrant + 1) & 2, -cosine, cosine)
