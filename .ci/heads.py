"""What sources of others say of their licences in their own heads, where no file beside them does."""

from __future__ import annotations

import re
from pathlib import Path

SOURCES = {".c", ".cc", ".h", ".inc", ".S"}
#: A comment, or a line of the preprocessor before it.
HEAD = re.compile(r"\s+|#[^\n]*|(?P<lines>(?://[^\n]*\n)+)|(?P<block>/\*.*?\*/)", re.S)
MARK = re.compile(r"^[ \t]*(?://+|/\*+|\*/|\*)?-?[ \t]?|[ \t]*\*/[ \t]*$|[ \t]+$", re.M)
COPYRIGHT = re.compile(r"^\s*(?:\(c\)|copyright)[^\n]*(?:\n\s*all rights reserved\.?)?", re.I | re.M)
#: Of the Apache Licence, what a head quotes; remarks may follow.
APACHE = re.compile(r"Licensed under the Apache License, Version 2\.0.*?limitations under the License\.", re.S)
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
