"""Finding a student's row in a table of another system: by what identifies, else by a name that is unique."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from grader.classroom.exports.harmless import one_line
from grader.classroom.nouns import Graded


@dataclass(frozen=True)
class Key:
    """A column that identifies, and the names in ``Graded.identity`` for what stands there.

    ``sure``: whether such a value in someone's identity is in this column for certain if they are in the table at all.
    """

    column: int
    title: str
    identities: tuple[str, ...]
    sure: Callable[[Graded], bool] = lambda graded: False


@dataclass(frozen=True)
class Row:
    """A student's row: its number in the sheet, its texts, its person's name."""

    number: int
    texts: tuple[str, ...]
    name: str


@dataclass(frozen=True)
class Match:
    """Where a student was found, or why not."""

    row: Row | None
    reason: str = ""
    by_name: bool = False


def match_all(graded: Sequence[Graded], rows: Sequence[Row], keys: Sequence[Key]) -> list[Match]:
    """A match for each of ``graded``. A row that two of them claim is given to neither."""
    by_text: dict[int, dict[str, list[Row]]] = {key.column: defaultdict(list) for key in keys}
    by_name: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        for key in keys:
            if key.column < len(row.texts) and (text := row.texts[key.column].strip()):
                by_text[key.column][text.casefold()].append(row)
        for form in name_forms(row.name):
            by_name[form].append(row)
    namesakes: dict[str, int] = defaultdict(int)
    for one in graded:
        for form in name_forms(one.name):
            namesakes[form] += 1
    found = [_match(one, keys, by_text, by_name, namesakes) for one in graded]
    claims: dict[int, list[str]] = defaultdict(list)
    for one, match in zip(graded, found, strict=True):
        if match.row is not None:
            claims[match.row.number].append(one_line(one.student))
    return [
        Match(None, f"the row is claimed by {' and '.join(claims[match.row.number])}; give one of them the right id")
        if match.row is not None and len(claims[match.row.number]) > 1
        else match
        for match in found
    ]


def name_forms(name: str) -> frozenset[str]:
    """The letters and digits of a name, in the order given and as "Last, First" turned round."""
    first, comma, last = name.partition(",")
    orders = (name, last + first) if comma else (name,)
    plain = (unicodedata.normalize("NFKC", order).casefold() for order in orders)
    return frozenset(filter(None, ("".join(filter(str.isalnum, text)) for text in plain)))


def _match(
    graded: Graded,
    keys: Sequence[Key],
    by_text: Mapping[int, Mapping[str, list[Row]]],
    by_name: Mapping[str, list[Row]],
    namesakes: Mapping[str, int],
) -> Match:
    strange = ""
    for key in keys:
        for identity in key.identities:
            value = graded.identity.get(identity, "").strip()
            rows = by_text[key.column].get(value.casefold(), []) if value else []
            if len(rows) == 1:
                return Match(rows[0])
            if rows:
                return Match(None, f"{len(rows)} rows have {one_line(value)} as {key.title}")
            if value and key.sure(graded):
                strange = strange or f"no row has {one_line(value)} as {key.title}"
    as_key = {row.number: row for key in keys for row in by_text[key.column].get(graded.student.strip().casefold(), [])}
    if len(as_key) == 1:
        return Match(next(iter(as_key.values())))
    if as_key:
        return Match(None, f"{len(as_key)} rows have {one_line(graded.student)} as an id")
    if strange:  # a namesake's row is not theirs
        return Match(None, strange)
    forms = name_forms(graded.name)
    by_forms = {row.number: row for form in forms for row in by_name.get(form, [])}
    if not by_forms:
        return Match(None, "no row has this id or name")
    many = max(len(by_forms), *(namesakes[form] for form in forms))
    if many > 1:
        whose = f"{many} students are called {one_line(graded.name)}"
        return Match(None, f"{whose} and nothing else tells them apart; enter it by hand, or give a roster with ids")
    return Match(next(iter(by_forms.values())), by_name=True)
