"""The Set Transformer against a plain computation of equations 4.4 to 4.8, set by set, column vectors and all."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

torch = pytest.importorskip("torch")

from tengen.strength.set_transformer import MeanPooled, SetModel, SetTransformer, linear  # noqa: E402

Array = npt.NDArray[np.float64]


def layer_norm(x: Array, gain: Array, bias: Array) -> Array:
    """Over the components of each column."""
    centred = x - x.mean(axis=0)
    return gain[:, None] * centred / np.sqrt((centred**2).mean(axis=0) + 1e-5) + bias[:, None]


def attention(q: Array, k: Array, v: Array) -> Array:
    """AT of Section 2.2.4: q (d_q, m), k (d_q, n), v (d, n)."""
    out = np.zeros((len(v), q.shape[1]))
    for j in range(q.shape[1]):
        scores = np.array([q[:, j] @ k[:, i] / np.sqrt(len(q)) for i in range(k.shape[1])])
        weights = np.exp(scores - scores.max(initial=-np.inf))
        for i in range(k.shape[1]):
            out[:, j] += weights[i] / weights.sum() * v[:, i]
    return out


class Plain:
    """The network with the weights of a torch module, in the thesis' own terms."""

    def __init__(self, net: SetTransformer) -> None:
        self.w = {name: p.detach().double().numpy() for name, p in net.state_dict().items()}
        self.depth = len(net.blocks)

    def block(self, name: str, q: Array, h: Array) -> Array:
        w = self.w
        attended = attention(
            w[f"{name}.query.weight"] @ q, w[f"{name}.key.weight"] @ h, w[f"{name}.value.weight"] @ h
        )
        hat = layer_norm(
            q + attended, w[f"{name}.norm_attention.weight"], w[f"{name}.norm_attention.bias"]
        )  # 4.4
        fed = np.maximum(0, w[f"{name}.feed.weight"] @ hat + w[f"{name}.feed.bias"][:, None])
        return layer_norm(hat + fed, w[f"{name}.norm_feed.weight"], w[f"{name}.norm_feed.bias"])  # 4.5

    def __call__(self, x: Array) -> Array:
        """x (d_x, n) to y."""
        h = self.w["enter.weight"] @ self.w["scaling"].T @ (x - self.w["centre"][:, None])
        for i in range(self.depth):
            induced = self.block(f"blocks.{i}.gather", self.w[f"blocks.{i}.points"].T, h)
            h = self.block(f"blocks.{i}.spread", h, induced)  # 4.6, 4.7
        pooled = self.block("pool", self.w["seed"][:, None], h)
        return (self.w["leave.weight"] @ pooled)[:, 0]  # 4.8


def small(outputs: int = 1) -> SetTransformer:
    torch.manual_seed(3)
    net = SetTransformer(5, outputs, depth=2, hidden=8, query=6, inducing=3)
    for name, p in net.named_parameters():
        if "norm" in name:  # gains of 1 and biases of 0 would hide a mix-up
            torch.nn.init.uniform_(p, -1.0, 1.0)
    net.centre.uniform_(-0.5, 0.5)
    net.scaling.add_(torch.empty(5, 5).uniform_(-0.5, 0.5))
    return net.eval()


def padded(sets: list[Array]) -> tuple[torch.Tensor, torch.Tensor]:
    longest = max(len(each) for each in sets)
    x = torch.full((len(sets), longest, sets[0].shape[1]), 7.0)  # padding may hold anything
    mask = torch.zeros(len(sets), longest, dtype=torch.bool)
    for i, each in enumerate(sets):
        x[i, : len(each)] = torch.from_numpy(each)
        mask[i, : len(each)] = True
    return x, mask


def some_sets(sizes: tuple[int, ...], width: int = 5) -> list[Array]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal((n, width)) for n in sizes]


def test_it_computes_the_equations() -> None:
    sets = some_sets((1, 2, 7, 20))
    net = small(outputs=2)
    with torch.no_grad():
        found = net(*padded(sets)).numpy()
    wanted = np.array([Plain(net)(each.T) for each in sets])
    np.testing.assert_allclose(found, wanted, atol=2e-5)


@pytest.mark.parametrize("make", [small, lambda: MeanPooled(5, 1, hidden=8, depth=2).eval()])
def test_padding_and_order_change_nothing(make: object) -> None:
    net: SetModel = make()  # type: ignore[operator]
    sets = some_sets((4, 9, 1, 30))
    rng = np.random.default_rng(1)
    with torch.no_grad():
        together = net(*padded(sets))
        alone = torch.cat([net(*padded([each])) for each in sets])
        shuffled = net(*padded([rng.permutation(each) for each in sets]))
    torch.testing.assert_close(together, alone, atol=1e-5, rtol=0)
    torch.testing.assert_close(together, shuffled, atol=1e-5, rtol=0)


def test_an_empty_set_gives_a_number_and_its_padding_does_not_matter() -> None:
    net = small()
    mask = torch.zeros(1, 4, dtype=torch.bool)
    with torch.no_grad():
        one, two = net(torch.zeros(1, 4, 5), mask), net(torch.full((1, 4, 5), 9.0), mask)
    assert torch.isfinite(one).all()
    torch.testing.assert_close(one, two)


def test_the_parameters_are_as_many_as_the_thesis_counts() -> None:
    # Table 5.1's hyperparameters on 384 channels; Section 5.2 counts 2,469,388.
    best = SetTransformer(384, depth=5, hidden=254, query=154, inducing=61)
    assert best.parameter_count == 2_469_388


def test_first_weights_are_uniform_and_as_wide_as_stated() -> None:
    torch.manual_seed(0)
    weights = linear(400, 100, bias=True)
    for p in weights.parameters():
        bound = 1 / np.sqrt(400)
        assert p.abs().max() <= bound
        assert p.abs().max() > 0.9 * bound
    net = SetTransformer(6, depth=1, hidden=50, inducing=20)
    for p in (net.seed, net.blocks[0].points):
        assert p.min() >= 0 and p.max() <= 1 and p.max() > 0.8
