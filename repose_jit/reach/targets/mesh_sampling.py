"""Points on the faces of a mesh: one on each, or evenly spread ones; the same bits every time and everywhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from repose_jit.errors import InputError
from repose_jit.reach.targets.grid import as_spacing
from repose_jit.reach.targets.rotations import unit_vectors

__all__ = ["face_centres", "face_normals", "sample_faces"]

FloatArray = NDArray[np.float64]

MAX_POINTS = 10**6
"""Most points sampled on a mesh; beyond it a spacing in millimetres is likelier."""

FLAT = 1e-12
"""Height of a triangle over its longest edge, as a part of that, below which its normal would be rounding."""

ORDER_BITS = 20
"""Binary digits per coordinate of the curve that samples are taken along: a millionth of the mesh."""


def face_centres(triangles: FloatArray) -> FloatArray:
    """Return the centroids (F, 3) of triangles (F, 3, 3), corner by corner [m]."""
    return (triangles[:, 0] + triangles[:, 1] + triangles[:, 2]) / 3.0


def face_normals(triangles: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the outward unit normals (F, 3) of triangles (F, 3, 3) and their areas (F,) [m²].

    Outward is where the corners run anticlockwise. A triangle without an area has a normal of zeros, and area 0.
    """
    (ax, ay, az), (bx, by, bz) = (triangles[:, 1] - triangles[:, 0]).T, (triangles[:, 2] - triangles[:, 0]).T
    cross = np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=1)
    doubled = np.sqrt(_squares(cross))
    sound = doubled > FLAT * _edges_squared(triangles).max(axis=1, initial=0.0)
    normals = np.zeros_like(cross)
    normals[sound] = unit_vectors(cross[sound])
    return normals, np.where(sound, 0.5 * doubled, 0.0)


def sample_faces(triangles: FloatArray, spacing: float) -> tuple[FloatArray, FloatArray]:
    """Return points spread over triangles, about one for every square of `spacing`, and the normals there.

    Parameters
    ----------
    triangles
        (F, 3, 3) corner by corner [m], in any order; each with an area.
    spacing
        Edge of the square that one point stands for [m].

    Returns
    -------
    points, normals : (N, 3) arrays
        N is the area over spacing², rounded; at least 1. No two points lie in the same place unless two triangles do.

    Raises
    ------
    InputError
        If the spacing is not allowed, or that were more than 10⁶ points.

    Notes
    -----
    Triangles are halved across their longest edge (Rivara 1984) until no edge is longer than `spacing`. The pieces are
    laid end to end along a Z-order curve (Morton 1966), which keeps neighbours close; those that face the same way
    together, so that both sides of a thin plate get their part. Whenever another spacing² of area has gone by, the
    centroid of the piece reached is taken. So triangles of all sizes get their part, too: large ones many points, of
    small ones some a point. No place of the surface is further than about 1.4 times the spacing from a point; with
    random ones it is 2.
    """
    spacing = as_spacing(spacing)
    normals, areas = face_normals(triangles)
    _require_feasible(triangles, areas, spacing)
    pieces, parents, shares = _halve(triangles, areas / (spacing * spacing), spacing)
    centres = face_centres(pieces)
    order = np.lexsort((_z_order(centres), _facing(normals)[parents]))
    passed = np.cumsum(shares[order])
    counted = np.floor(passed + 0.5)
    taken = np.diff(counted, prepend=0.0) > 0.0  # a piece has less than half a share: one point at most
    if not taken.any():
        taken[np.searchsorted(passed, 0.5 * passed[-1])] = True
    chosen = order[taken]
    return centres[chosen], normals[parents[chosen]]


def _require_feasible(triangles: FloatArray, areas: FloatArray, spacing: float) -> None:
    longest = np.sqrt(_edges_squared(triangles).max(axis=1))
    split = longest > spacing
    with np.errstate(over="ignore"):
        # A sliver gets as many pieces as its length asks for.
        count = float(areas.sum() / spacing**2 + (longest[split] / spacing).sum())
    if count > MAX_POINTS:
        raise InputError(
            f"spacing: got {spacing:g} m for {areas.sum():.3g} m² in {len(areas):,} triangles: about {count:.1e} "
            f"points, expected at most {MAX_POINTS:.0e} (are the units of the file right?)"
        )


def _halve(
    triangles: FloatArray, shares: FloatArray, longest: float
) -> tuple[FloatArray, NDArray[np.int64], FloatArray]:
    """Halve triangles until no edge is longer than `longest`: the pieces, which triangle each is of, and its share."""
    parents = np.arange(len(triangles), dtype=np.int64)
    done: list[tuple[FloatArray, NDArray[np.int64], FloatArray]] = []
    while len(triangles):
        squared = _edges_squared(triangles)
        split = squared.max(axis=1) > longest * longest
        done.append((triangles[~split], parents[~split], shares[~split]))
        # The corners in turn, beginning with the ends of the longest edge.
        turn = (squared[split].argmax(axis=1)[:, None] + np.arange(3)) % 3
        a, b, c = np.take_along_axis(triangles[split], turn[:, :, None], axis=1).transpose(1, 0, 2)
        middle = 0.5 * (a + b)
        triangles = np.concatenate([np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)])
        parents, shares = np.tile(parents[split], 2), np.tile(0.5 * shares[split], 2)
    pieces, parents, shares = (np.concatenate(parts) for parts in zip(*done, strict=True))
    return pieces, parents, shares


def _edges_squared(triangles: FloatArray) -> FloatArray:
    """Return the squared lengths (F, 3) of the edges from each corner to the next."""
    return _squares(triangles[:, [1, 2, 0]] - triangles)


def _squares(vectors: FloatArray) -> FloatArray:
    x, y, z = vectors[..., 0], vectors[..., 1], vectors[..., 2]
    squares: FloatArray = x * x + y * y + z * z
    return squares


def _facing(normals: FloatArray) -> NDArray[np.int64]:
    """Return which of the six sides of a cube normals face, 0 to 5."""
    side = np.abs(normals).argmax(axis=1)
    backwards = np.take_along_axis(normals, side[:, None], axis=1)[:, 0] < 0.0
    facing: NDArray[np.int64] = 2 * side + backwards
    return facing


def _z_order(points: FloatArray) -> NDArray[np.int64]:
    """Return the places of points along a Z-order curve through the cube around them."""
    low = points.min(axis=0)
    size = float((points - low).max())
    cells = ((points - low) / (size or 1.0) * (2**ORDER_BITS - 1)).astype(np.int64)
    place = np.zeros(len(points), dtype=np.int64)
    for bit in range(ORDER_BITS):
        for axis in range(3):
            place |= ((cells[:, axis] >> bit) & 1) << (3 * bit + axis)
    return place
