"""Players by name. Adding one is adding its file and a line here."""

from __future__ import annotations

from collections.abc import Callable

from tengen.errors import InputError
from tengen.nets.evaluator import Bagged, Evaluator
from tengen.search.ending import Resignation
from tengen.search.player import Limit, Player
from tengen.search.policy_player import PolicyPlayer, PolicySettings
from tengen.search.puct import DEFAULT_VISITS, PuctPlayer, PuctSettings


def _policy(net: Evaluator, *, seed: int = 0, bagging: int = 1, resign: int = 1) -> Player:
    """`bagging` and `resign` are 0 for no; Golois bags."""
    settings = PolicySettings(seed=seed, resignation=Resignation() if resign else None)
    return PolicyPlayer(Bagged(net) if bagging else net, settings)


def _puct(
    net: Evaluator,
    *,
    seed: int = 0,
    visits: int | None = None,
    time: float | None = None,
    rollouts: int = 0,
    weight: float = 0.5,
    batch: int = 16,
    threads: int = 1,
    memory: int = 256,
    variety: int = 0,
    resign: int = 1,
) -> Player:
    """`time` is seconds a move, `memory` megabytes, `weight` lambda, `variety` the opening_variety."""
    if visits is None and time is None:
        visits = DEFAULT_VISITS
    for name, value, least in (
        ("visits", visits, 1),
        ("batch", batch, 1),
        ("threads", threads, 1),
        ("memory", memory, 1),
    ):
        if value is not None and value < least:
            raise InputError(f"{name} must be {least} or more, not {value}")
    if rollouts < 0 or (time is not None and not time > 0) or not 0 <= weight <= 1:
        raise InputError("rollouts must not be negative, time must be above 0, weight is from 0 to 1")
    return PuctPlayer(
        net,
        PuctSettings(
            limit=Limit(visits, time),
            rollouts=rollouts,
            weight=weight,
            batch=batch,
            threads=threads,
            memory=memory << 20,
            seed=seed,
            opening_variety=variety,
            resignation=Resignation() if resign else None,
        ),
    )


PLAYERS: dict[str, Callable[..., Player]] = {"policy": _policy, "puct": _puct}


def make_player(name: str, net: Evaluator, **options: int | float | None) -> Player:
    """The player of that name; the options are those of its function above."""
    try:
        maker = PLAYERS[name]
    except KeyError:
        raise InputError(f"unknown player '{name}': known are {', '.join(PLAYERS)}") from None
    known = {k for k in maker.__annotations__ if k not in ("net", "return")}
    for option in options:
        if option not in known:
            raise InputError(f"player '{name}' has no option '{option}': it has {', '.join(sorted(known))}")
    return maker(net, **options)
