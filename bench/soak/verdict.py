"""Whether a figure has grown during the soak: arithmetic only."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean


@dataclass(frozen=True)
class Bound:
    """A figure of all workers together. It may grow by `most` over the last two thirds."""

    name: str
    most: float


@dataclass(frozen=True)
class Growth:
    """`amount` is the growth over the last two thirds, along the line of least squares."""

    bound: Bound
    amount: float
    per_hour: float

    @property
    def failed(self) -> bool:
        return self.amount > self.bound.most

    def __str__(self) -> str:
        verdict = "TOO MUCH" if self.failed else "flat"
        grown = f"{self.amount:+.1f} in the last two thirds ({self.per_hour:+.1f} an hour)"
        return f"{self.bound.name}: {grown}, at most {self.bound.most:g}: {verdict}"


def slope(points: Sequence[tuple[float, float]]) -> float:
    """The slope of the line of least squares through points of (x, y)."""
    middle_x, middle_y = (fmean(values) for values in zip(*points, strict=True))
    width = sum((x - middle_x) ** 2 for x, _ in points)
    return sum((x - middle_x) * (y - middle_y) for x, y in points) / width if width else 0.0


def growth(bound: Bound, points: Sequence[tuple[float, float]]) -> Growth:
    """`points` are pairs of seconds and a value. What is not in the last two thirds warms up."""
    began, ended = points[0][0], points[-1][0]
    last = [point for point in points if point[0] >= began + (ended - began) / 3]
    rise = slope(last)
    return Growth(bound, rise * (last[-1][0] - last[0][0]), rise * 3600)


def table(samples: Mapping[str, Sequence[tuple[float, float]]], seconds: float) -> Iterator[str]:
    """A line for each interval of so many seconds, with the mean of each figure."""
    yield "| minute | " + " | ".join(samples) + " |"
    yield "|---" * (len(samples) + 1) + "|"
    last = max(points[-1][0] for points in samples.values())
    for number in range(int(last // seconds) + 1):
        means = [_mean(points, number * seconds, seconds) for points in samples.values()]
        if any(means):
            yield f"| {number * seconds / 60:.3g} | " + " | ".join(means) + " |"


def _mean(points: Sequence[tuple[float, float]], begin: float, seconds: float) -> str:
    values = [value for at, value in points if begin <= at < begin + seconds]
    return f"{fmean(values):.1f}" if values else ""
