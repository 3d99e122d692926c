"""Addresses of a lesson's pages in a site, from where the site begins."""

from __future__ import annotations


def lesson_link(site: str, lesson_id: str, anchor: str = "") -> str:
    """The page of a lesson, at a section of it where ``anchor`` names one."""
    return f"{site.rstrip('/')}/{lesson_id}/index.html{'#' if anchor else ''}{anchor}"


def mistake_link(site: str, lesson_id: str, name: str) -> str:
    """A misconception beside what is right, in the gallery of its lesson."""
    return f"{site.rstrip('/')}/{lesson_id}/mistakes.html#{mistake_anchor(name)}"


def mistake_anchor(name: str) -> str:
    """The anchor of a misconception in the gallery."""
    return f"mistake-{name}"
