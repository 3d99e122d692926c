"""Where a site that was built begins, for the pages of a lesson."""

from __future__ import annotations

from pathlib import Path

from grader.errors import UsageError

HOW = "build the site with grade site OUT, then set HEADWORK_SITE to OUT, or to the address where it stands"


def site_address(site: str, lesson_id: str) -> str:
    """The address of ``site``, a folder or an address already, which holds the pages of the lesson.

    Raises UsageError when there is no site or no such page in its folder.
    """
    if not site:
        raise UsageError(f"no site is known; {HOW}")
    if site.startswith(("http://", "https://")):
        return site
    folder = Path(site).expanduser().absolute()
    page = folder / lesson_id / "index.html"
    if not page.is_file():
        raise UsageError(f"{page}: no such page; {HOW}")
    return folder.as_uri()
