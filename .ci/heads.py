"""What sources of others say of their licences in their own heads, where no file beside them does."""

from __future__ import annotations

import re
from pathlib import Path

SOURCES = {".c", ".cc", ".h", ".inc", ".S"}
#: Folders of packages with nothing that comes into a program; CNIOSHA1 is that of WebSockets, which nothing here has.
APART = {"Tests", "Tools", "Benchmarks", "IntegrationTests", "Examples", "Snippets", "Scripts", "scripts", "dev", "CNIOSHA1"}
#: A comment, or a line of the preprocessor before it.
HEAD = re.compile(r"\s+|#[^\n]*|(?P<lines>(?://[^\n]*\n)+)|(?P<block>/\*.*?\*/)", re.S)
MARK = re.compile(r"^[ \t]*(?://+|/\*+|\*/|\*)?-?[ \t]?|[ \t]*\*/[ \t]*$|[ \t]+$", re.M)
COPYRIGHT = re.compile(r"^\s*(?:\(c\)|copyright)[^\n]*(?:\n\s*all rights reserved\.?)?", re.I | re.M)
#: Of the Apache Licence, what a head quotes; remarks may follow.
APACHE = re.compile(r"Licensed under the Apache License, Version 2\.0.*?limitations under the License\.", re.S)
#: A line that says whose work it is, and not one of a licence that speaks of such lines.
OWNED = re.compile(r"^[ \t]*(?:\(c\)|copyright)[^\n]*\d{4}[^\n]*(?:\n[ \t]*all rights reserved\.?)?", re.I | re.M)
#: A licence itself, and not where it is.
QUOTED = re.compile(r"Permission (?:is hereby granted|to use)|Redistribution and use", re.I)
LICENCE = re.compile(r"Licensed under|Permission (?:is hereby granted|to use)|Redistribution and use", re.I)


def comments(text: str) -> list[str]:
    """Those at the head of a source."""
    found, place = [], 0
    while match := HEAD.match(text, place):
        if not match[0]:
            break
        found += [match[name] for name in ("lines", "block") if match[name]]
        place = match.end()
    return found


def licences(folder: Path) -> dict[str, list[str]]:
    """The texts of licences in the heads of a folder's sources, each with the lines that say whose work is under it."""
    found: dict[str, tuple[str, set[str]]] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix not in SOURCES:
            continue
        for comment in comments(path.read_text(errors="replace")):
            # Of the package itself, whose licence is a file.
            if not LICENCE.search(comment) or "See LICENSE.txt" in comment:
                continue
            plain = MARK.sub("", comment)
            owners = {" ".join(match[0].split()) for match in COPYRIGHT.finditer(plain)}
            quoted = APACHE.search(plain)
            text = quoted[0] if quoted else re.sub(r"\n{3,}", "\n\n", COPYRIGHT.sub("", plain)).strip("\n")
            # By its words: comments differ in where their lines break.
            known = found.setdefault(" ".join(text.split()), (text, set()))
            known[1].update(owners)
    return {text: sorted(owners) for text, owners in found.values()}


def embedded(checkout: Path, known: list[str]) -> dict[tuple[str, str], list[Path]]:
    """The work of others in single files of a package, whom its own licence does not name: the owners and the licence, as
    heads of these files quote it, and the files.

    `known`: folders whose licences are told otherwise.
    """
    own = "\n".join(path.read_text(errors="replace") for path in sorted(checkout.glob("LICEN[CS]E*")))
    told = [checkout / folder for folder in known]
    found: dict[str, tuple[tuple[str, str], list[Path]]] = {}
    for path in sorted(checkout.rglob("*")):
        if path.suffix not in SOURCES | {".swift"} or not APART.isdisjoint(path.relative_to(checkout).parts):
            continue
        if any(folder in (path, *path.parents) for folder in told):
            continue
        for comment in comments(path.read_text(errors="replace")):
            for owners, text in quoted(MARK.sub("", comment)):
                if not any(name(owner) in own for owner in owners):
                    whole = ("\n".join(owners), text)
                    found.setdefault(" ".join(" ".join(whole).split()), (whole, []))[1].append(path)
    return dict(found.values())


def quoted(comment: str) -> list[tuple[list[str], str]]:
    """The licences that a comment quotes, each behind the lines of its owners."""
    found, owners = [], []
    lines = list(OWNED.finditer(comment))
    for line, following in zip(lines, [*lines[1:], None]):
        owners.append(" ".join(line[0].split()))
        text = comment[line.end() : following.start() if following else None]
        if QUOTED.search(text):
            found.append((owners, text.strip("\n =")))
            owners = []
    return found


def name(owner: str) -> str:
    """Who it is, without the years of the work."""
    return re.sub(r"^.*\d{4}[\s,.]*|[\s.]*all rights reserved\.?$|[\s.]+$", "", owner, flags=re.I)
