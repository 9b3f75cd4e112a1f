"""The map in a browser: the one room that knows viser."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from repose_jit.errors import InputError, ReposeError
from repose_jit.reach.reach_map import ReachMap, require_map
from repose_jit.reach.viewing.cloud import Cloud, Cut, Quantity, Shown
from repose_jit.reach.viewing.panel import colour_key, map_text, site_text, solution_text
from repose_jit.reach.viewing.skeleton import skeleton
from repose_jit.reach.viewing.solutions import Site, Solutions
from repose_jit.validation import as_integer

if TYPE_CHECKING:
    import viser

__all__ = ["Viewer"]

FloatArray = NDArray[np.float64]

OFF, AXES = "off", ("x", "y", "z")
ROBOT, TARGET, PLANE = (60, 66, 74), (213, 94, 0), (86, 180, 233)
"""Colours of the robot, of the site chosen and of the plane."""
NO_SITE = "Click a point to see which orientations are reached there."


class Viewer:
    """A server that shows a map until it is closed; a context manager.

    Parameters
    ----------
    reach_map
        A grid, a surface or a list of poses.
    host
        Address to serve on; ``"127.0.0.1"`` is this computer alone.
    port
        Port to serve on, the next free one if it is taken; 0 for any.

    Attributes
    ----------
    address
        Where to point a browser.

    Raises
    ------
    ReposeError
        If viser or matplotlib is not installed.
    InputError
        If the map is one of placements, or the port is none.
    """

    def __init__(self, reach_map: ReachMap, *, host: str = "127.0.0.1", port: int = 8080) -> None:
        require_map(reach_map)
        if reach_map.kind == "placements":
            raise InputError("reach_map: got a map of placements, expected a grid, a surface or poses: plot draws it")
        port = as_integer(port, name="port", least=0, most=65_535)
        try:
            import matplotlib  # noqa: F401 -- has the colours
            import viser
        except ImportError:
            raise ReposeError("viser and matplotlib are needed to view: pip install 'repose_jit[view]'") from None
        self._map = reach_map
        self._cloud = Cloud(reach_map)
        self._solutions = Solutions(reach_map)
        self._lock = threading.RLock()  # viser calls back from a pool of threads
        self._quantity: Quantity = self._cloud.quantity(self._cloud.labels()[0])
        self._site: Site | None = None
        self._server = viser.ViserServer(host=host, port=port, verbose=False)
        shown_host = "localhost" if host in {"127.0.0.1", "0.0.0.0", "::"} else host  # noqa: S104 -- compared, not bound
        self.address = f"http://{shown_host}:{self._server.get_port()}"
        try:
            self._set_up_scene()
            self._set_up_panel()
            self._server.scene.on_click()(lambda event: self.click(event.ray_origin, event.ray_direction))
            self.draw()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the server; browsers that show the map lose it."""
        self._server.stop()

    @property
    def shown(self) -> Shown:
        """What is drawn now."""
        return self._shown

    @property
    def site(self) -> Site | None:
        """The site chosen, None if none is."""
        return self._site

    def click(self, origin: Sequence[float], direction: Sequence[float]) -> None:
        """Choose the site that a ray from the eye meets first; nothing changes if it meets none."""
        with self._lock:
            site = self._cloud.pick(self._shown, np.asarray(origin, float), np.asarray(direction, float))
            if site is not None:
                self.choose(self._cloud.site_index(site))

    def choose(self, index: tuple[int, ...]) -> None:
        """Choose a site by its index, and show its first solution."""
        with self._lock:
            self._site = self._solutions.site(index)
            self._site_text.content = site_text(self._site, self._map)
            self._marker.position = self._site.position
            self._marker.visible = True
            n = len(self._site.reached)
            # The slider wants two ends that differ; with one solution there is nothing to step through.
            self._step.max = max(2, n)
            for handle in (self._step, self._buttons):
                handle.visible = n > 1
            if self._step.value == 1:
                self.show_solution()
            else:
                self._step.value = 1  # which calls back

    def show_solution(self) -> None:
        """Draw the robot in the solution that the slider stands at."""
        with self._lock:
            site = self._site
            reached = [] if site is None else site.reached
            has_any = site is not None and bool(reached)
            self._solution_text.visible = has_any
            if not has_any or site is None:
                self._hide_robot()
                return
            orientation = reached[min(int(self._step.value), len(reached)) - 1]
            solution = self._solutions.solution(site.index, orientation)
            self._solution_text.content = solution_text(solution, self._map.chain)
            self._show_frame(self._target, solution.target)
            if solution.q is None:
                self._hide_robot(keep_target=True)
            else:
                self._draw_robot(solution.q)

    def draw(self) -> None:
        """Draw the points as the panel asks for."""
        with self._lock:
            if self._quantity.label != self._colour_by.value:
                self._quantity = self._cloud.quantity(self._colour_by.value)
            self._shown = self._cloud.shown(
                self._quantity,
                threshold=0.01 * float(self._threshold.value) * self._quantity.top,
                only_reached=not self._show_all.value,
                cut=self._cut(),
            )
            self._draw_points()
            self._key.content = colour_key(self._quantity, self._shown, self._map)

    def _draw_points(self) -> None:
        self._drawn_size = self._point_size()
        # Sent whole, also for a new size alone: the browser takes a new size with new points only.
        self._server.scene.add_point_cloud(
            "/map",
            points=self._shown.points.astype(np.float32),
            colors=self._shown.colours,
            point_size=self._drawn_size,
            point_shape="circle",
            precision="float32",
            visible=len(self._shown.points) > 0,
        )

    def _thin_out(self) -> None:
        """Draw the points again if their size has to change."""
        if self._point_size() != self._drawn_size:
            self._draw_points()

    def _point_size(self) -> float:
        """Return the diameter of the points [m]: small ones where a robot stands among them."""
        has_robot = any(handle.visible for handle in self._robot)
        return (0.2 if has_robot and self._is_thinned.value else 0.6) * self._cloud.size

    def _cut(self) -> Cut | None:
        if self._cut_axis.value == OFF:
            return None
        axis = AXES.index(self._cut_axis.value)
        return Cut(axis=axis, at=float(self._cut_at.value), is_layer=bool(self._is_layer.value))

    def _set_up_scene(self) -> None:
        scene, cloud = self._server.scene, self._cloud
        centre, span = 0.5 * (cloud.lower + cloud.upper), float(np.ptp([cloud.lower, cloud.upper], axis=0).max()) or 1.0
        self._span = span
        scene.set_up_direction("+z")
        self._server.initial_camera.position = tuple(centre + span * np.array([0.8, -1.0, 0.6]))
        self._server.initial_camera.look_at = tuple(centre)
        scene.add_frame("/base", axes_length=0.12 * span, axes_radius=0.004 * span)
        self._marker = scene.add_box(
            "/site", color=TARGET, dimensions=(1.15 * cloud.size,) * 3, wireframe=True, visible=False
        )
        self._target = scene.add_frame(
            "/target", axes_length=0.08 * span, axes_radius=0.004 * span, origin_color=TARGET, visible=False
        )
        self._tool = scene.add_frame("/robot/tool", axes_length=0.05 * span, axes_radius=0.003 * span, visible=False)
        self._robot: list[viser.SceneNodeHandle] = []
        self._plane = scene.add_box("/plane", color=PLANE, opacity=0.15, side="double", visible=False)
        self._gizmo: viser.TransformControlsHandle | None = None

    def _set_up_panel(self) -> None:
        gui, cloud = self._server.gui, self._cloud
        gui.configure_theme(control_width="medium", show_share_button=False)
        gui.main_panel.dock_right()
        gui.set_panel_label("repose_jit")
        gui.add_html(map_text(self._map))
        with gui.add_folder("Points"):
            labels = cloud.labels()
            self._colour_by = gui.add_dropdown("Colour by", labels, initial_value=labels[0])
            self._threshold = gui.add_slider("Hide below [%]", 0, 100, 1, 0, hint="Of the top of the colour scale.")
            # A grid is mostly air; of a surface or a list of poses the ones that are not reached matter as much.
            shows_all = self._map.kind != "grid" or not (cloud.n_reached > 0).any()
            self._show_all = gui.add_checkbox("Show unreached", shows_all)
            self._is_thinned = gui.add_checkbox("Small with robot", True, hint="Small points while the robot is drawn.")
            self._key = gui.add_html("")
        with gui.add_folder("Slice"):
            self._cut_axis = gui.add_dropdown("Across", [OFF, *AXES], initial_value=OFF)
            self._cut_at = gui.add_slider("At [m]", 0.0, 1.0, 0.01, 0.0, visible=False)
            self._is_layer = gui.add_checkbox("This layer alone", False, visible=False)
        with gui.add_folder("Place"):
            self._site_text = gui.add_html(f'<div style="padding:0 0.75em;font-size:0.875em">{NO_SITE}</div>')
            self._step = gui.add_slider("Solution", 1, 2, 1, 1, visible=False)
            self._buttons = gui.add_button_group("Step", ("previous", "next"), visible=False)
            self._solution_text = gui.add_html("", visible=False)
        for handle in (self._colour_by, self._threshold, self._show_all, self._is_thinned, self._is_layer):
            handle.on_update(_ignoring_event(self.draw))
        self._cut_axis.on_update(_ignoring_event(self._turn_plane))
        self._cut_at.on_update(_ignoring_event(self._move_plane))
        self._step.on_update(_ignoring_event(self.show_solution))
        self._buttons.on_click(_ignoring_event(self._step_on))

    def _step_on(self) -> None:
        """Go to the next or the previous solution, around at the ends."""
        with self._lock:
            if self._site is not None and self._site.reached:
                by = 1 if self._buttons.value == "next" else -1
                self._step.value = (int(self._step.value) - 1 + by) % len(self._site.reached) + 1

    def _turn_plane(self) -> None:
        """Put the plane across the axis chosen, in the middle, with an arrow to drag it by."""
        with self._lock:
            if self._gizmo is not None:
                self._gizmo.remove()
                self._gizmo = None
            is_on = self._cut_axis.value != OFF
            for handle in (self._cut_at, self._is_layer, self._plane):
                handle.visible = is_on
            if not is_on:
                self.draw()
                return
            cloud, axis = self._cloud, AXES.index(self._cut_axis.value)
            lower, upper = float(cloud.lower[axis]), float(cloud.upper[axis])
            step = self._map.spacing or max(upper - lower, cloud.size) / 50.0
            self._cut_at.min, self._cut_at.max = lower, max(upper, lower + step)
            self._cut_at.step = step
            sides = np.maximum(cloud.upper - cloud.lower + cloud.size, 0.2 * self._span)
            sides[axis] = 0.002 * self._span
            self._plane.dimensions = tuple(sides)
            gizmo = self._server.scene.add_transform_controls(
                "/plane_handle",
                scale=0.25 * self._span,
                active_axes=(axis == 0, axis == 1, axis == 2),
                disable_sliders=True,
                disable_rotations=True,
            )
            gizmo.on_update(_ignoring_event(self._drag_plane))
            gizmo.position = 0.5 * (cloud.lower + cloud.upper)
            self._gizmo = gizmo
            middle = _snapped(0.5 * (lower + upper), lower, upper, step)
            if self._cut_at.value == middle:
                self._move_plane()
            else:
                self._cut_at.value = middle  # which calls back

    def _drag_plane(self) -> None:
        """Bring the slider, and with it everything else, to where the arrow was dragged."""
        with self._lock:
            if self._gizmo is None or self._cut_axis.value == OFF:
                return
            at = float(self._gizmo.position[AXES.index(self._cut_axis.value)])
            self._cut_at.value = _snapped(at, self._cut_at.min, self._cut_at.max, self._cut_at.step)

    def _move_plane(self) -> None:
        """Bring the plane, its arrow and the points to where the slider stands."""
        with self._lock:
            if self._gizmo is None or self._cut_axis.value == OFF:
                return
            axis = AXES.index(self._cut_axis.value)
            position = 0.5 * (self._cloud.lower + self._cloud.upper)
            position[axis] = float(self._cut_at.value)
            self._plane.position = position
            # An arrow that is being dragged stays under the hand: it is less than a step away.
            if abs(self._gizmo.position[axis] - position[axis]) > self._cut_at.step:
                self._gizmo.position = position
            self.draw()

    def _draw_robot(self, q: FloatArray) -> None:
        robot, scene = skeleton(self._map.chain, q), self._server.scene
        radius = 0.012 * self._span
        self._robot = [
            scene.add_line_segments("/robot/sticks", robot.sticks, colors=ROBOT, thickness=radius),
            scene.add_point_cloud(
                "/robot/joints",
                robot.joints.astype(np.float32),
                colors=ROBOT,
                point_size=1.2 * radius,
                point_shape="circle",
                precision="float32",
            ),
        ]
        self._show_frame(self._tool, robot.tool)
        self._thin_out()

    def _hide_robot(self, *, keep_target: bool = False) -> None:
        for handle in (*self._robot, self._tool, *(() if keep_target else (self._target,))):
            handle.visible = False
        self._thin_out()

    def _show_frame(self, frame: viser.FrameHandle, T: FloatArray) -> None:
        from viser.transforms import SO3

        frame.wxyz = SO3.from_matrix(T[:3, :3]).wxyz
        frame.position = T[:3, 3]
        frame.visible = True


def _ignoring_event(action: Callable[[], None]) -> Callable[[Any], None]:
    return lambda _: action()


def _snapped(at: float, lower: float, upper: float, step: float) -> float:
    """Return the step from `lower` on that is nearest to `at`; rounded, so that it reads as 0 and not as −2e-17."""
    return round(min(max(lower + step * round((at - lower) / step), lower), upper), 9) + 0.0
