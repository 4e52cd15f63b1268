"""HTML as a tree of elements."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from html.parser import HTMLParser

VOID = {"meta", "line", "rect", "path", "use", "input", "link"}


class Node:
    """An element with what is in it."""

    def __init__(self, name: str, attributes: dict[str, str], parent: Node | None) -> None:
        self.name, self.attributes, self.parent = name, attributes, parent
        self.children: list[Node | str] = []

    @property
    def classes(self) -> set[str]:
        return set(self.attributes.get("class", "").split())

    @property
    def is_shown(self) -> bool:
        return all("gone" not in node.classes for node in self.lineage())

    def is_there(self, at: int) -> bool:
        """Whether the script would show it at a position."""
        return all(
            int(node.attributes.get("data-in", 0)) <= at < int(node.attributes.get("data-out", 9999))
            for node in self.lineage()
        )

    def lineage(self) -> Iterator[Node]:
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent

    @functools.cached_property
    def below(self) -> list[Node]:
        """This element and all in it, in order; of a tree that was read to its end."""
        nodes = [child for child in self.children if isinstance(child, Node)]
        return [self, *(node for child in nodes for node in child.below)]

    def all(self, **wanted: str | None) -> list[Node]:
        """Elements with these attributes (``data_hand="3"``; None: any value), in order."""
        named = {name.replace("_", "-"): value for name, value in wanted.items()}
        return [
            node
            for node in self.below
            if all(
                name in node.attributes and value in (None, node.attributes[name])
                for name, value in named.items()
            )
        ]

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)


class Tree(HTMLParser):
    """Reads HTML as strictly as the replay is written."""

    def __init__(self) -> None:
        super().__init__()
        self.root = self.at = Node("", {}, None)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs}, self.at)
        self.at.children.append(node)
        if tag not in VOID:
            self.at = node

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.at.children.append(Node(tag, {name: value or "" for name, value in attrs}, self.at))

    def handle_endtag(self, tag: str) -> None:
        assert self.at.name == tag, f"</{tag}> closes {self.at.name}"
        assert self.at.parent is not None
        self.at = self.at.parent

    def handle_data(self, data: str) -> None:
        self.at.children.append(data)


def tree(markup: str) -> Node:
    reader = Tree()
    reader.feed(markup)
    reader.close()
    assert reader.at is reader.root, f"{reader.at.name} is not closed"
    return reader.root
