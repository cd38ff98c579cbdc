"""Rows as a dictionary or as a data frame of a library that the user has installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from .errors import RagtriageError

if TYPE_CHECKING:
    from collections.abc import Sequence

Row = dict[str, "str | float | None"]
Kind = Literal["dict", "pandas", "polars"]


def frame(rows: Sequence[Row], kind: Kind, key: str) -> Any:
    """Returns rows as ``{value of key: row}``, ``pandas.DataFrame`` or ``polars.DataFrame``."""
    if kind == "dict":
        return {row[key]: row for row in rows}
    if kind == "pandas":
        import pandas

        return pandas.DataFrame(list(rows))
    if kind == "polars":
        import polars

        return polars.DataFrame(list(rows), infer_schema_length=None)
    raise RagtriageError(f"unknown kind of table `{kind}`", "use `dict`, `pandas` or `polars`")
