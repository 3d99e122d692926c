"""Where the page of a lesson is in a site that was built."""

from __future__ import annotations

from pathlib import Path

from grader.errors import UsageError

HOW = "build the site with grade site OUT, then set HEADWORK_SITE to OUT, or to the address where it stands"


def page_address(lesson_id: str, site: str) -> str:
    """The address of the lesson's page in ``site``, a folder or the beginning of an address.

    Raises UsageError when there is no site or no such page in its folder.
    """
    if not site:
        raise UsageError(f"no site is known; {HOW}")
    if site.startswith(("http://", "https://")):
        return f"{site.rstrip('/')}/{lesson_id}/index.html"
    page = Path(site).expanduser().absolute() / lesson_id / "index.html"
    if not page.is_file():
        raise UsageError(f"{page}: no such page; {HOW}")
    return page.as_uri()
