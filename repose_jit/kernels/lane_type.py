"""The SIMD type behind `lanes`: eight float64 or eight bool in one Numba value, and their arithmetic and comparisons.

Operators are lowered to LLVM vector instructions directly; an overload for each would take far longer to compile.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import lower_builtin, models, register_model, type_callable

__all__ = [
    "BITS64",
    "DOUBLE",
    "I64",
    "VECTOR",
    "WIDTH",
    "LaneMaskType",
    "Lanes",
    "LanesType",
    "as_vector",
    "lane_index",
    "lanes_type",
    "mask_type",
]

WIDTH = 8
"""Problems that advance together."""

Lanes = Any
"""Eight float64 (or a mask of eight bool) inside a kernel; an array of eight with the JIT disabled."""

FLAGS = ("contract", "nsz", "arcp")
DOUBLE, I64, BIT = ir.DoubleType(), ir.IntType(64), ir.IntType(1)
VECTOR, BITS64, MASK = ir.VectorType(DOUBLE, WIDTH), ir.VectorType(I64, WIDTH), ir.VectorType(BIT, WIDTH)


class LanesType(types.Type):
    """Numba type of eight float64."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


class LaneMaskType(types.Type):
    """Numba type of eight bool."""

    def __init__(self) -> None:
        super().__init__(name="LaneMask")


lanes_type, mask_type = LanesType(), LaneMaskType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, fe_type: Any) -> None:
        super().__init__(manager, fe_type, VECTOR)


@register_model(LaneMaskType)
class _LaneMaskModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, fe_type: Any) -> None:
        super().__init__(manager, fe_type, MASK)


def lane_index(index: int) -> ir.Constant:
    """Return the constant that picks one lane."""
    return ir.Constant(ir.IntType(32), index)


def _splat(builder: Any, value: Any) -> Any:
    one = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), value, lane_index(0))
    order = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(one, ir.Constant(VECTOR, ir.Undefined), order)


def as_vector(context: Any, builder: Any, value: Any, value_type: Any) -> Any:
    """Return an operand as a vector: lanes as they are, a number eight times."""
    if isinstance(value_type, LanesType):
        return value
    return _splat(builder, context.cast(builder, value, value_type, types.float64))


def _register_binary(op: Callable[..., Any], result: types.Type, build: Callable[..., Any]) -> None:
    @type_callable(op)
    def resolve(context: Any) -> Any:
        def typer(a: Any, b: Any) -> Any:
            kinds = (LanesType, types.Number)
            if isinstance(a, kinds) and isinstance(b, kinds) and (isinstance(a, LanesType) or isinstance(b, LanesType)):
                return result
            return None

        return typer

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        a, b = (as_vector(context, builder, v, t) for v, t in zip(args, sig.args, strict=True))
        return build(builder, a, b)

    for pair in ((LanesType, LanesType), (LanesType, types.Number), (types.Number, LanesType)):
        lower_builtin(op, *pair)(lower)


def _register_unary(op: Callable[..., Any], operand: types.Type, build: Callable[[Any, Any], Any]) -> None:
    @type_callable(op)
    def resolve(context: Any) -> Any:
        def typer(a: Any) -> Any:
            return operand if a == operand else None

        return typer

    @lower_builtin(op, type(operand))  # type: ignore[untyped-decorator]
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return build(builder, args[0])


def _register_mask_binary(op: Callable[..., Any], build: Callable[[Any, Any, Any], Any]) -> None:
    @type_callable(op)
    def resolve(context: Any) -> Any:
        def typer(a: Any, b: Any) -> Any:
            return mask_type if a == mask_type and b == mask_type else None

        return typer

    @lower_builtin(op, LaneMaskType, LaneMaskType)  # type: ignore[untyped-decorator]
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return build(builder, *args)


for _op, _in_place, _method in (
    (operator.add, operator.iadd, "fadd"),
    (operator.sub, operator.isub, "fsub"),
    (operator.mul, operator.imul, "fmul"),
    (operator.truediv, operator.itruediv, "fdiv"),
):
    for _form in (_op, _in_place):
        _register_binary(_form, lanes_type, lambda b, x, y, m=_method: getattr(b, m)(x, y, flags=FLAGS))
_register_unary(operator.neg, lanes_type, lambda b, x: b.fneg(x))
for _op, _symbol in ((operator.lt, "<"), (operator.le, "<="), (operator.gt, ">"), (operator.ge, ">=")):
    _register_binary(_op, mask_type, lambda b, x, y, s=_symbol: b.fcmp_ordered(s, x, y))
_register_mask_binary(operator.and_, lambda b, x, y: b.and_(x, y))
_register_mask_binary(operator.or_, lambda b, x, y: b.or_(x, y))
_register_unary(operator.invert, mask_type, lambda b, x: b.not_(x))
