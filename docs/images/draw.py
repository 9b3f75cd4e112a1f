"""Draw the pictures of docs/reading_a_reachability_map.md: ``python docs/images/draw.py``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import repose_jit as rj
from repose_jit import GridTargets, Orientations, ReachStudy, SurfaceTargets

FOLDER = Path(__file__).parent
AXES = {"x": "#CC3311", "y": "#009E73", "z": "#0072B2"}


def save(figure, name):
    figure.savefig(FOLDER / name, dpi=110, metadata={"Software": None})


def draw_arrow(axes, T, letter, length=0.1, **style):
    beside = np.array([0.015, 0.0, 0.0]) if letter == "z" else 0.0  # the normal runs there
    tip = T[:3, 3] + length * T[:3, "xyz".index(letter)]
    axes.plot(*np.array([T[:3, 3], tip]).T, color=AXES[letter], lw=3, zorder=3, **style)
    axes.text(
        *(1.18 * (tip - T[:3, 3]) + beside), letter, color=AXES[letter], ha="center", va="center", zorder=4, **style
    )


def orientations():
    """Draw the poses asked for at one point of a plate with its normal up."""
    chain = rj.preset("igus_rebel").chain()
    plate = SurfaceTargets([[0.0, 0.0, 0.0]], [[0.0, 0.0, 1.0]])
    asked = (
        ("free_axis: one pose,\nthe turn about z is solved for", {"kind": "free_axis"}),
        ("directions, n_roll = 4: four poses\n(the x of the others is pale)", {"kind": "directions", "n_roll": 4}),
        ('free_axis, approach = "+normal":\nthe tool comes from below', {"kind": "free_axis", "approach": "+normal"}),
    )
    figure = Figure(figsize=(9.5, 3.9))
    figure.subplots_adjust(left=0, right=1, bottom=0, top=0.84, wspace=0)
    side = 0.13
    for number, (title, settings) in enumerate(asked, start=1):
        wanted = Orientations(**{"tool_axis": "z", "approach": "-normal", **settings})
        axes = figure.add_subplot(1, 3, number, projection="3d", computed_zorder=False)
        corners = side * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
        axes.plot_trisurf(corners[:, 0], corners[:, 1], np.zeros(4), color="0.9", shade=False, zorder=0)
        axes.plot([0, 0], [0, 0], [0, side], color="k", lw=1.2, ls="--", zorder=1)
        axes.text(0.03, 0, side, "normal", ha="left", va="center", fontsize=9)
        poses = ReachStudy(chain, targets=plate, orientations=wanted).target_set.poses(np.array([0]))[0]
        for T in poses[1:]:
            draw_arrow(axes, T, "x", alpha=0.35)
        for letter in "xyz":
            draw_arrow(axes, poses[0], letter)
        if wanted.kind == "free_axis":
            turn = np.linspace(0.0, 2 * np.pi, 80)
            axes.plot(0.05 * np.cos(turn), 0.05 * np.sin(turn), 0.0, color="0.3", lw=1.2, ls=":", zorder=2)
        figure.text((number - 0.5) / 3, 0.97, title, ha="center", va="top", fontsize=11)
        axes.set(xlim=(-side, side), ylim=(-side, side), zlim=(-side, side))
        axes.set_box_aspect((1, 1, 1), zoom=1.18)
        axes.view_init(elev=22, azim=-65)
        axes.set_axis_off()
    save(figure, "orientations.png")


def spacing():
    """Draw the same slice of the same arm with three sizes of voxel."""
    chain = rj.preset("igus_rebel").chain()
    figure = Figure(figsize=(9.5, 3.7), layout="constrained")
    panels = figure.subplots(1, 3, sharey=True)
    for axes, edge in zip(panels, (0.2, 0.1, 0.05), strict=True):
        wanted = Orientations(kind="super_fibonacci", n=64)
        one = ReachStudy(chain, targets=GridTargets(spacing=edge), orientations=wanted, metrics=()).run()
        x, y, z = (one.coordinates[dim] for dim in "xyz")
        index = one.site("reachability_index")[:, np.argmin(np.abs(y))]
        ends = (x[0] - edge / 2, x[-1] + edge / 2, z[0] - edge / 2, z[-1] + edge / 2)
        shown = axes.imshow(index.T, origin="lower", extent=ends, vmin=0, vmax=80, cmap="viridis")
        volume = one.summary()["reachable_volume"]
        axes.set(title=f"{1e3 * edge:g} mm: {volume:.2f} m³", xlabel="x [m]", xlim=(-0.7, 0.7), ylim=(-0.42, 0.98))
    panels[0].set_ylabel("z [m]")
    figure.colorbar(shown, ax=panels, label="orientations reached [%]", shrink=0.9)
    save(figure, "spacing.png")


if __name__ == "__main__":
    orientations()
    spacing()
