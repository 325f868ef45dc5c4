"""Plots on a page: each shape of a drawing is an element, so that nothing is ever markup."""

from __future__ import annotations

from nicegui import html, ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement

from erstwhile.requests.plots import Drawing, Plot


def draw(plot: Plot, *, large: bool = False) -> Element:
    made = ui.element("svg").classes("chart").props("role=img")
    redraw(made, plot, large=large)
    return made


def redraw(chart: Element, plot: Plot, *, large: bool = False) -> None:
    """Show other values in place."""
    drawing = Drawing(plot, large=large)
    chart.props["viewBox"] = f"0 0 {drawing.width} {drawing.height}"
    chart.props["aria-label"] = plot.gist
    chart.clear()
    with chart:
        for stroke in drawing.strokes:
            path = ui.element("path").classes(stroke.kind)
            path.props["d"], path.props["stroke-width"] = stroke.path, stroke.width
            path.props["stroke"] = f"var(--{stroke.colour})"
        for label in drawing.labels:
            text = TextElement(tag="text", text=label.text)
            text.props["x"], text.props["y"] = round(label.x, 1), round(label.y, 1)
            text.props["text-anchor"] = label.anchor
        for strip in drawing.strips:
            area = ui.element("rect").classes("strip")
            area.props["x"], area.props["width"] = round(strip.x, 1), round(strip.width, 1)
            area.props["y"], area.props["height"] = drawing.top, drawing.depth
            with area:
                TextElement(tag="title", text=strip.text)


def legend(plot: Plot) -> None:
    """Name the series, where there are several."""
    if len(plot.series) == 1:
        return
    with html.div().classes("row legend"):
        for each in plot.series:
            with html.span().classes("row"):
                key = html.span().classes("key").props("aria-hidden=true")
                key.style["background"] = f"var(--{each.colour})"
                html.span(each.name)
