"""Elements of an HTML page from plain text: whatever is not markup already is escaped."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Sequence

__all__ = ["Markup", "bar", "definitions", "figure", "markup", "paragraph", "picture_source", "section", "table"]

NOT_ALLOWED = dict.fromkeys([*range(9), *range(11, 32), 127], "\ufffd")
"""Control characters, which no HTML page may hold: a replacement stands for them."""


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def markup(text: object) -> Markup:
    """Return text as HTML: escaped, unless it is markup."""
    if isinstance(text, Markup):
        return text
    plain = str(text).encode(errors="replace").decode()  # half a surrogate pair is in no encoding
    return Markup(html.escape(plain.translate(NOT_ALLOWED)))


def paragraph(*parts: object) -> Markup:
    """Return a paragraph of texts and markup."""
    return _element("p", *parts)


def section(title: str, *parts: object) -> Markup:
    """Return a section with a heading."""
    return _element("section", _element("h2", title), *parts)


def table(header: Sequence[str], rows: Iterable[Sequence[object]], *, numbers: Iterable[int] = ()) -> Markup:
    """Return a table; the columns in `numbers` are set to the right. The first cell of a row is its heading."""
    right = set(numbers)

    def kind(column: int) -> str:
        return ' class="number"' if column in right else ""

    def cell(column: int, text: object) -> str:
        tag, scope = ("td", "") if column else ("th", ' scope="row"')
        return f"<{tag}{scope}{kind(column)}>{markup(text)}</{tag}>"

    heads = "".join(f'<th scope="col"{kind(i)}>{markup(text)}</th>' for i, text in enumerate(header))
    lines = ["<tr>" + "".join(cell(i, text) for i, text in enumerate(row)) + "</tr>" for row in rows]
    body = "\n".join(lines)
    # Wider than the page, the table scrolls, and not the page.
    return Markup(
        f'<div class="wide"><table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>'
    )


def definitions(pairs: Iterable[tuple[str, object]]) -> Markup:
    """Return a list of terms, each with what it is."""
    lines = [f"<dt>{markup(term)}</dt><dd>{markup(text)}</dd>" for term, text in pairs]
    return Markup("<dl>\n" + "\n".join(lines) + "\n</dl>")


def figure(svg: bytes, alternative: str, caption: str) -> Markup:
    """Return a picture with a caption; `alternative` says in words what it shows."""
    image = f'<img src="{picture_source(svg)}" alt="{markup(alternative)}">'
    return Markup(f'<figure>\n<div class="wide">{image}</div>\n<figcaption>{markup(caption)}</figcaption>\n</figure>')


def picture_source(svg: bytes) -> str:
    """Return the address of a picture that holds the picture itself, so that nothing is loaded."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg).decode()


def bar(share: float) -> Markup:
    """Return a bar as long as a share of its cell."""
    return Markup(f'<span class="bar"><span style="width:{100.0 * share:.2f}%"></span></span>')


def _element(tag: str, *parts: object) -> Markup:
    content = "".join(markup(part) for part in parts)
    return Markup(f"<{tag}>{content}</{tag}>\n")
