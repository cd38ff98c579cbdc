"""Rows and numbers of other libraries as those of Python, and tables made of rows."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from .errors import RagtriageError, RecordError

Kind = Literal["dict", "pandas", "polars"]


def rows(table: Any, what: str) -> Iterator[dict[str, Any]]:
    """Yields the rows of a table as mappings of plain values, in order. ``what`` names the table in errors.

    A table is one of Hugging Face ``datasets``, pandas, polars or PyArrow, a dictionary of columns, or an iterable of mappings.

    Raises:
        RagtriageError: The table is of another form.
    """
    for number, row in enumerate(records(table, what), 1):
        if not isinstance(row, Mapping):
            raise RagtriageError(f"row {number} of `{what}` is of type {type(row).__name__}", "pass a table, or an iterable of mappings")
        yield {str(name): plain(value) for name, value in row.items()}


def records(table: Any, what: str) -> Iterable[Any]:
    """Returns the rows of a table as its library has them; those of a list may be objects."""
    if isinstance(table, Mapping):
        if any(hasattr(part, "column_names") for part in table.values()):
            hint = f"pass one of its splits: {', '.join(f'`[{name!r}]`' for name in table)}"
            raise RagtriageError(f"`{what}` is several tables", hint)
        lists = [
            list(column) for column in table.values() if isinstance(column, Iterable) and not isinstance(column, (str, bytes, Mapping))
        ]
        if len(lists) != len(table) or len({len(column) for column in lists}) > 1:
            raise RagtriageError(f"`{what}` is not a table", "pass a list of mappings, or columns of equal length by name")
        return (dict(zip(table, values, strict=True)) for values in zip(*lists, strict=True))
    if hasattr(table, "collect") and hasattr(table, "collect_schema"):  # polars.LazyFrame
        table = table.collect()
    if hasattr(table, "iter_rows"):  # polars
        named: Iterable[Any] = table.iter_rows(named=True)
        return named
    if hasattr(table, "to_batches"):  # PyArrow
        return (row for batch in table.to_batches() for row in batch.to_pylist())
    if hasattr(table, "columns") and hasattr(table, "to_dict"):  # pandas
        records: Iterable[Any] = table.to_dict("records")
        return records
    if isinstance(table, (str, bytes)) or not isinstance(table, Iterable):
        raise RagtriageError(f"`{what}` is of type {type(table).__name__}", "pass a table, or an iterable of mappings")
    return table


def plain(value: Any) -> Any:
    """Returns a value of a table as one of JSON; ``None`` for a missing one, such as NaN."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(part) for part in value]
    if hasattr(value, "tolist"):  # numpy
        return plain(value.tolist())
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    return str(value)


def finite(value: Any, convert: Callable[[Any], float]) -> Any:
    """Returns what ``convert`` makes of a number: ``float``, or ``operator.index`` for whole ones; ``None`` if it is not a finite number.

    Text is not a number, even if it can be parsed as one.
    """
    if isinstance(value, str):
        return None
    try:
        number = convert(value)
        return number if math.isfinite(number) else None
    except (TypeError, ValueError, OverflowError):
        return None


def as_id(value: Any) -> str:
    """Returns an id as text. A float is whole: pandas makes the numbers of a column floats if some are missing."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def frame(found: Sequence[Mapping[str, Any]], kind: Kind, key: str, types: Mapping[str, type | None]) -> Any:
    """Returns rows as ``{value of key: row}``, ``pandas.DataFrame`` or ``polars.DataFrame``.

    ``types`` has the type of each column, so that a column without values has it too: ``str``, ``list`` (of texts), ``float``, or
    ``None`` to infer it.
    """
    if kind == "dict":
        return {row[key]: row for row in found}
    if kind == "pandas":
        import pandas

        dtypes = {name: "string" if type is str else "float64" for name, type in types.items() if type in (str, float)}
        return pandas.DataFrame(list(found), columns=list(types)).astype(dtypes)
    if kind == "polars":
        import polars

        known: dict[Any, Any] = {str: polars.String, float: polars.Float64, list: polars.List(polars.String), None: None}
        return polars.DataFrame(list(found), schema={name: known[type] for name, type in types.items()}, infer_schema_length=None)
    raise RagtriageError(f"unknown kind of table `{kind}`", "use `dict`, `pandas` or `polars`")


def read(questions: Any) -> Any:
    """Returns questions, from the file that holds them if it is named."""
    if not isinstance(questions, (str, os.PathLike)):
        return questions
    path = Path(questions)
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8-sig").split("\n") if line.strip()]
    except (OSError, ValueError) as error:
        raise RecordError(f"cannot read questions from `{path}`: {error}", "name a file of JSON lines with `id` and `text`") from error
