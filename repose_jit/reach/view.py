"""A map in the browser, to turn, slice and click."""

from __future__ import annotations

import os
import threading
import webbrowser
from collections.abc import Callable

from repose_jit.reach.reach_map import ReachMap
from repose_jit.reach.viewing.app import Viewer

__all__ = ["Viewer", "view"]


def view(
    store: ReachMap | str | os.PathLike[str],
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    open_browser: bool = False,
    say: Callable[[str], object] = print,
) -> None:
    """Show a map in the browser until Ctrl-C; :class:`Viewer` does not wait.

    The sites are points, coloured by the reachability index or a metric. A plane slices them; a click on one lists the
    orientations reached there and draws the robot in each of their solutions: the configuration kept in the store, or
    one that is solved for again if none was kept.

    Parameters
    ----------
    store
        A map, or the path of a store.
    host
        Address to serve on. The default is seen from this computer alone; ``"0.0.0.0"`` from the whole network.
    port
        Port to serve on, the next free one if it is taken; 0 for any.
    open_browser
        Point the browser to it.
    say
        Is given the address once the map is served.

    Raises
    ------
    ReposeError
        If viser or matplotlib is not installed.
    InputError
        If there is no map at the path, the map is one of placements, or the port is none.
    """
    with Viewer(_opened(store), host=host, port=port) as viewer:
        try:
            say(f"{viewer.address} shows the map; Ctrl-C ends it")
            if open_browser:
                webbrowser.open(viewer.address)
            threading.Event().wait()
        except KeyboardInterrupt:
            say("closed")


def _opened(store: ReachMap | str | os.PathLike[str]) -> ReachMap:
    if not isinstance(store, str | os.PathLike):
        return store
    return ReachMap.open(store)
