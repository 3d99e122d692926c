"""The classic mistakes of this lesson, as the part that each one gets wrong.

Titles and hints are in lesson.toml under the same names.
"""

import numpy as np

from grader.checking import family, misconception
from grader.oracle.attention import softmax
from grader.oracle.attention_parts import float32_exp
from grader.oracle.loss_parts import float32_softmax, loss_from_parts, next_token, of_the_target
from grader.oracle.losses import log_softmax, next_token_loss, token_costs


def loss_probes(probe):
    """Ordinary, another size, equal, at levels, far off, high apart and together; few targets in a text, or in all."""
    return [
        probe.batch,
        probe.two_texts,
        (0 * probe.logits, probe.tokens, probe.mask),
        (probe.logits + probe.levels, probe.tokens, probe.mask),
        (probe.far_off, probe.tokens, probe.mask),
        (probe.logits + probe.heights, probe.tokens, probe.mask),
        (probe.logits + 200.0, probe.tokens, probe.mask),
        (probe.logits, probe.tokens, probe.emptied),
        probe.small,
        probe.short,
    ]


loss_family = family("lm_loss", variant=loss_from_parts, probes=loss_probes)


def mistake(name, **parts):
    """A mistake in ``lm_loss``: the parts of ``loss_from_parts`` that it replaces."""
    return misconception(name, of="lm_loss", **parts)


# ---- which token a position is held to -----------------------------------------------------------


def aligned(logits, tokens, mask, *, real=None):
    """Slices of the second axis for the three arrays; the mask is taken where the targets are unless told."""
    return lambda x, y, m: (x[:, logits], y[:, tokens], m[:, mask if real is None else real])


ALL, BUT_LAST, BUT_FIRST = slice(None), slice(None, -1), slice(1, None)

no_shift = mistake("no-shift", align=aligned(ALL, ALL, ALL))
no_shift_but_last = mistake("no-shift", align=aligned(BUT_LAST, BUT_LAST, BUT_LAST))
no_shift_but_first = mistake("no-shift", align=aligned(BUT_FIRST, BUT_FIRST, BUT_FIRST))
no_shift_in_tokens = mistake("no-shift", align=aligned(BUT_LAST, BUT_LAST, BUT_FIRST))
backwards = mistake("backwards", align=aligned(BUT_FIRST, BUT_LAST, BUT_LAST))
backwards_mask_kept = mistake("backwards", align=aligned(BUT_FIRST, BUT_LAST, BUT_FIRST))
backwards_rolled = mistake("backwards", align=lambda x, y, m: (x, np.roll(y, 1, axis=1), m))
backwards_all_rolled = mistake("backwards", align=lambda x, y, m: (x, np.roll(y, 1, axis=1), np.roll(m, 1, axis=1)))
two_ahead = mistake("two-ahead", align=aligned(slice(None, -2), slice(2, None), slice(2, None)))
rolled = mistake("rolled", align=lambda x, y, m: (x, np.roll(y, -1, axis=1), np.roll(m, -1, axis=1)))
rolled_mask_kept = mistake("rolled", align=lambda x, y, m: (x, np.roll(y, -1, axis=1), m))
padded_with_zero = mistake("padded-targets", align=lambda x, y, m: (x, padded(y[:, 1:]), m))
padded_and_counted = mistake("padded-targets", align=lambda x, y, m: (x, padded(y[:, 1:]), padded(m[:, 1:], by=True)))
padded_with_last = mistake("padded-targets", align=lambda x, y, m: (x, np.append(y[:, 1:], y[:, -1:], axis=1), m))
last_target_missing = mistake("target-missing", align=aligned(slice(None, -2), slice(1, -1), slice(1, -1)))
first_target_missing = mistake("target-missing", align=aligned(slice(1, -1), slice(2, None), slice(2, None)))
last_target_only = mistake("last-target-only", align=aligned(slice(-2, -1), slice(-1, None), slice(-1, None)))
rolled_over_batch = mistake(
    "rolled-over-texts",
    align=lambda x, y, m: (x, np.roll(y.ravel(), -1).reshape(y.shape), np.roll(m.ravel(), -1).reshape(m.shape)),
)
rolled_over_batch_mask_kept = mistake(
    "rolled-over-texts", align=lambda x, y, m: (x, np.roll(y.ravel(), -1).reshape(y.shape), m)
)
strung_together = mistake(
    "rolled-over-texts",
    align=lambda x, y, m: next_token(x.reshape(1, -1, x.shape[-1]), y.reshape(1, -1), m.reshape(1, -1)),
)
rolled_along_texts = mistake(
    "shifted-over-texts", align=lambda x, y, m: (x, np.roll(y, -1, axis=0), np.roll(m, -1, axis=0))
)
rolled_along_texts_mask_kept = mistake("shifted-over-texts", align=lambda x, y, m: (x, np.roll(y, -1, axis=0), m))
sliced_along_texts = mistake("shifted-over-texts", align=lambda x, y, m: (x[:-1], y[1:], m[1:]))
first_text_only = mistake("first-text-only", align=lambda x, y, m: (x[:1, :-1], y[:1, 1:], m[:1, 1:]))


def padded(array, *, by=0):
    """One more column at the end, filled with ``by``."""
    return np.pad(array, ((0, 0), (0, 1)), constant_values=by)


# ---- which targets count -------------------------------------------------------------------------


def counting(mask):
    """The right shift, with mask(m, y) (B, T - 1) of what counts."""
    return lambda x, y, m: (x[:, :-1], y[:, 1:], mask(m, y))


mask_not_shifted = mistake("mask-not-shifted", align=counting(lambda m, y: m[:, :-1]))
both_real = mistake("both-real", align=counting(lambda m, y: m[:, :-1] & m[:, 1:]))
mask_inverted = mistake("mask-inverted", align=counting(lambda m, y: ~m[:, 1:]))
mask_ignored = mistake("mask-ignored", align=counting(lambda m, y: np.ones_like(m[:, 1:])))
mask_from_tokens = mistake("mask-from-tokens", align=counting(lambda m, y: y[:, 1:] != 0))
mask_and_tokens = mistake("mask-from-tokens", align=counting(lambda m, y: m[:, 1:] & (y[:, 1:] != 0)))
mask_as_length = mistake(
    "mask-as-length", align=counting(lambda m, y: np.arange(1, m.shape[1]) < m.sum(axis=1, keepdims=True))
)
mask_as_length_of_targets = mistake(
    "mask-as-length", align=counting(lambda m, y: np.arange(m.shape[1] - 1) < m[:, 1:].sum(axis=1, keepdims=True))
)
logits_multiplied = mistake(
    "mask-on-logits", align=lambda x, y, m: (x[:, :-1] * m[:, 1:, None], y[:, 1:], np.ones_like(m[:, 1:]))
)
targets_multiplied = mistake(
    "mask-on-targets", align=lambda x, y, m: (x[:, :-1], y[:, 1:] * m[:, 1:], np.ones_like(m[:, 1:]))
)
targets_minus_one = mistake(
    "mask-on-targets", align=lambda x, y, m: (x[:, :-1], np.where(m, y, -1)[:, 1:], np.ones_like(m[:, 1:]))
)


# ---- what the total is divided by ------------------------------------------------------------------


def over(count):
    """What the total is divided by, from counted (B, T - 1), logits (B, T, V) and mask (B, T)."""
    return {"count": count}


def everything(costs, counted):
    """The sum of all costs, filler included."""
    return costs.sum()


def text_means(costs, counted, *, at_least=0):
    """(B,) the mean of every text."""
    return np.where(counted, costs, 0.0).sum(axis=1) / np.maximum(counted.sum(axis=1), at_least)


def mean_of_present(costs, counted):
    """The mean of the texts' means, without the texts that have no target."""
    present = counted.any(axis=1)
    return text_means(costs[present], counted[present]).mean()


def position_means(costs, counted, *, at_least=0):
    """(T - 1,) the mean of every position over the texts."""
    return np.where(counted, costs, 0.0).sum(axis=0) / np.maximum(counted.sum(axis=0), at_least)


def one(counted, logits, mask):
    """Nothing is divided."""
    return 1


summed = mistake("summed", **over(one))
divided_by_texts = mistake("divided-by-texts", **over(lambda c, x, m: len(m)))
divided_by_length = mistake("divided-by-length", **over(lambda c, x, m: m.shape[1]))
divided_by_positions = mistake("divided-by-length", **over(lambda c, x, m: m.shape[1] - 1))
divided_by_all = mistake("divided-by-all", **over(lambda c, x, m: c.size))
divided_by_cells = mistake("divided-by-all", **over(lambda c, x, m: m.size))
divided_by_real_tokens = mistake("one-too-many", **over(lambda c, x, m: m.sum()))
one_too_many = mistake("one-too-many", **over(lambda c, x, m: c.sum() + 1))
one_too_few = mistake("one-too-few", **over(lambda c, x, m: c.sum() - 1))
real_but_last = mistake("count-not-shifted", **over(lambda c, x, m: m[:, :-1].sum()))
over_vocabulary = mistake("over-vocabulary", **over(lambda c, x, m: c.sum() * x.shape[-1]))
over_all_vocabulary = mistake("over-vocabulary", **over(lambda c, x, m: c.size * x.shape[-1]))
divided_by_vocabulary = mistake("over-vocabulary", **over(lambda c, x, m: x.shape[-1]))
divided_twice = mistake("divided-twice", **over(lambda c, x, m: c.sum() ** 2))
divided_twice_by_all = mistake("divided-twice", **over(lambda c, x, m: c.sum() * c.size))
filler_in_sum = mistake("filler-in-sum", summed=everything)
labels_outside = mistake("labels-outside", summed=lambda costs, counted: np.where(counted, costs, np.nan).sum())
sum_of_all = mistake("sum-of-all", summed=everything, **over(one))
all_over_texts = mistake("all-over-texts", summed=everything, **over(lambda c, x, m: len(m)))
crossed_means = mistake("crossed-with-mask", summed=lambda costs, counted: costs.mean() * counted.mean(), **over(one))
mean_of_means = mistake("mean-of-means", summed=lambda costs, counted: text_means(costs, counted).mean(), **over(one))
mean_of_means_guarded = mistake(
    "mean-of-means", summed=lambda costs, counted: text_means(costs, counted, at_least=1).mean(), **over(one)
)
mean_of_means_present = mistake("mean-of-means", summed=mean_of_present, **over(one))
sum_of_means = mistake("sum-of-means", summed=lambda costs, counted: text_means(costs, counted).sum(), **over(one))
sum_of_means_guarded = mistake(
    "sum-of-means", summed=lambda costs, counted: text_means(costs, counted, at_least=1).sum(), **over(one)
)
mean_of_positions = mistake(
    "mean-of-positions", summed=lambda costs, counted: position_means(costs, counted).mean(), **over(one)
)
mean_of_positions_guarded = mistake(
    "mean-of-positions", summed=lambda costs, counted: position_means(costs, counted, at_least=1).mean(), **over(one)
)
not_reduced = mistake("not-reduced", summed=lambda costs, counted: costs * counted, **over(one))
not_reduced_unmasked = mistake("not-reduced", summed=lambda costs, counted: costs, **over(one))
reduced_by_text = mistake("not-reduced", summed=text_means, **over(one))
summed_by_text = mistake("not-reduced", summed=lambda costs, counted: (costs * counted).sum(axis=1), **over(one))
largest_cost = mistake(
    "largest-cost", summed=lambda costs, counted: np.where(counted, costs, -np.inf).max(), **over(one)
)


# ---- how a logit becomes a log probability ---------------------------------------------------------


def along(axis):
    """Log-softmax over one axis, or over all."""

    def log_p(scores):
        largest = scores.max(axis=axis, keepdims=True)
        return scores - largest - np.log(np.exp(scores - largest).sum(axis=axis, keepdims=True))

    return log_p


def unshifted(log_p):
    """Log-softmax of all positions, the last one too, before the shift."""
    return lambda x, y, m: (log_p(x)[:, :-1], y[:, 1:], m[:, 1:])


def same(scores):
    """Nothing happens."""
    return scores


softmax_first = mistake("softmax-first", scores=softmax)
over_positions = mistake("over-positions", log_p=along(1))
over_positions_before_shift = mistake("over-positions", align=unshifted(along(1)), log_p=same)
over_texts = mistake("over-texts", log_p=along(0))
over_text = mistake("over-text", log_p=along((1, 2)))
over_text_before_shift = mistake("over-text", align=unshifted(along((1, 2))), log_p=same)
over_everything = mistake("over-everything", log_p=along(None))
over_everything_before_shift = mistake("over-everything", align=unshifted(along(None)), log_p=same)
no_softmax = mistake("no-softmax", log_p=same)
log_of_logits = mistake("log-of-logits", log_p=np.log)
normalised_without_exp = mistake("no-exponential", log_p=lambda s: np.log(s / s.sum(axis=-1, keepdims=True)))
log_without_sum = mistake("log-of-total-missing", log_p=lambda s: s - s.max(axis=-1, keepdims=True))
total_without_log = mistake(
    "log-of-total-missing", log_p=lambda s: s - np.exp(s - s.max(axis=-1, keepdims=True)).sum(axis=-1, keepdims=True)
)
maximum_lost = mistake(
    "maximum-lost",
    log_p=lambda s: s - np.log(np.exp(s - s.max(axis=-1, keepdims=True)).sum(axis=-1, keepdims=True)),
)
maximum_lost_twice = mistake(
    "maximum-lost",
    log_p=lambda s: (
        s
        - 2 * s.max(axis=-1, keepdims=True)
        - np.log(np.exp(s - s.max(axis=-1, keepdims=True)).sum(axis=-1, keepdims=True))
    ),
)
sigmoids = mistake("sigmoids", log_p=lambda s: -np.logaddexp(0.0, -s))


def one_against_rest(scores, targets):
    """(B, N, V) binary cross-entropies: the target against 1, all others against 0; minus their sum over V."""
    signs = 2.0 * np.eye(scores.shape[-1])[targets] - 1.0
    return -np.logaddexp(0.0, -signs * scores).sum(axis=-1)


binary_summed = mistake("sigmoids", log_p=same, pick=one_against_rest)
binary_averaged = mistake("sigmoids", log_p=same, pick=lambda s, y: one_against_rest(s, y) / s.shape[-1])


def naive_total(scores):
    """log ∑ exp without a maximum, in the range of float32."""
    return np.log(float32_exp(scores).sum(axis=-1, keepdims=True))


def naive_ratio(scores):
    """log (exp / ∑ exp) without a maximum, in the range of float32."""
    exponentials = float32_exp(scores)
    return np.log(exponentials / exponentials.sum(axis=-1, keepdims=True))


no_maximum = mistake("no-maximum", log_p=lambda s: s - naive_total(s))
no_maximum_ratio = mistake("no-maximum", log_p=naive_ratio)
no_maximum_multiplied = mistake("no-maximum", log_p=naive_ratio, summed=lambda costs, counted: (costs * counted).sum())
one_maximum = mistake(
    "one-maximum", log_p=lambda s: s - s.max() - np.log(float32_exp(s - s.max()).sum(axis=-1, keepdims=True))
)
one_maximum_ratio = mistake(
    "one-maximum",
    log_p=lambda s: np.log(float32_exp(s - s.max()) / float32_exp(s - s.max()).sum(axis=-1, keepdims=True)),
)
log_of_softmax = mistake("log-of-softmax", log_p=lambda s: np.log(float32_softmax(s)))
log_of_softmax_multiplied = mistake(
    "log-of-softmax",
    log_p=lambda s: np.log(float32_softmax(s)),
    summed=lambda costs, counted: (costs * counted).sum(),
)
infinities_dropped = mistake(
    "infinities-patched", log_p=lambda s: np.where(float32_softmax(s) > 0, np.log(float32_softmax(s)), 0.0)
)
infinities_at_float32 = mistake(
    "infinities-patched",
    log_p=lambda s: np.where(float32_softmax(s) > 0, np.log(float32_softmax(s)), np.finfo(np.float32).min),
)


def in_bfloat16(x):
    """Rounded to the 8 bits of bfloat16."""
    bits = np.asarray(x, dtype=np.float32).view(np.uint32)
    rounded = bits + 0x7FFF + ((bits >> 16) & 1)
    return (rounded & 0xFFFF0000).view(np.float32).astype(np.float64)


def in_float16(x):
    """Rounded to the 11 bits of float16."""
    return np.asarray(x).astype(np.float16).astype(np.float64)


def sixteen_bits(rounded):
    """Log-softmax in which every step but the exponentials is rounded, as XLA does on the CPU."""

    def log_p(scores):
        shifted = rounded(scores) - rounded(scores.max(axis=-1, keepdims=True))
        return rounded(rounded(shifted) - rounded(np.log(rounded(np.exp(shifted).sum(axis=-1, keepdims=True)))))

    return log_p


log_softmax_bfloat16 = mistake("log-softmax-in-16-bits", log_p=sixteen_bits(in_bfloat16))
log_softmax_float16 = mistake("log-softmax-in-16-bits", log_p=sixteen_bits(in_float16))
logits_bfloat16 = mistake("log-softmax-in-16-bits", scores=in_bfloat16)
logits_float16 = mistake("log-softmax-in-16-bits", scores=in_float16)


def epsilon(by, *, ratio=float32_softmax):
    """log (p + by)."""
    return lambda scores: np.log(ratio(scores) + by)


epsilon_2 = mistake("epsilon", log_p=epsilon(1e-2))
epsilon_3 = mistake("epsilon", log_p=epsilon(1e-3))
epsilon_4 = mistake("epsilon", log_p=epsilon(1e-4))
epsilon_5 = mistake("epsilon", log_p=epsilon(1e-5))
epsilon_6 = mistake("epsilon", log_p=epsilon(1e-6))
epsilon_7 = mistake("epsilon", log_p=epsilon(1e-7))
epsilon_float32 = mistake("epsilon", log_p=epsilon(float(np.finfo(np.float32).eps)))
epsilon_8 = mistake("epsilon", log_p=epsilon(1e-8))
epsilon_9 = mistake("epsilon", log_p=epsilon(1e-9))
epsilon_10 = mistake("epsilon", log_p=epsilon(1e-10))
epsilon_12 = mistake("epsilon", log_p=epsilon(1e-12))
epsilon_15 = mistake("epsilon", log_p=epsilon(1e-15))
epsilon_16 = mistake("epsilon", log_p=epsilon(1e-16))
epsilon_20 = mistake("epsilon", log_p=epsilon(1e-20))
epsilon_30 = mistake("epsilon", log_p=epsilon(1e-30))
epsilon_37 = mistake("epsilon", log_p=epsilon(1e-37))
epsilon_tiny = mistake("epsilon", log_p=epsilon(float(np.finfo(np.float32).tiny)))
clamped_10 = mistake("costs-clamped", cost=lambda log_p: np.minimum(-log_p, 10.0))
clamped_20 = mistake("costs-clamped", cost=lambda log_p: np.minimum(-log_p, 20.0))
clamped_100 = mistake("costs-clamped", cost=lambda log_p: np.minimum(-log_p, 100.0))
clamped_1000 = mistake("costs-clamped", cost=lambda log_p: np.minimum(-log_p, 1000.0))
logits_clipped_10 = mistake("logits-clipped", scores=lambda s: np.clip(s, -10.0, 10.0))
logits_clipped_20 = mistake("logits-clipped", scores=lambda s: np.clip(s, -20.0, 20.0))
logits_clipped_30 = mistake("logits-clipped", scores=lambda s: np.clip(s, -30.0, 30.0))
logits_clipped_50 = mistake("logits-clipped", scores=lambda s: np.clip(s, -50.0, 50.0))
logits_clipped_80 = mistake("logits-clipped", scores=lambda s: np.clip(s, -80.0, 80.0))
logits_clipped_100 = mistake("logits-clipped", scores=lambda s: np.clip(s, -100.0, 100.0))
soft_capped_30 = mistake("logits-clipped", scores=lambda s: 30.0 * np.tanh(s / 30.0))
soft_capped_50 = mistake("logits-clipped", scores=lambda s: 50.0 * np.tanh(s / 50.0))
scaled_by_width = mistake("logits-scaled", scores=lambda s: s / np.sqrt(s.shape[-1]))
cooled = mistake("logits-scaled", scores=lambda s: s / 0.7)
warmed = mistake("logits-scaled", scores=lambda s: s / 2.0)
logits_negated = mistake("logits-negated", scores=np.negative)


# ---- what a target costs ---------------------------------------------------------------------------

sign_missing = mistake("sign-missing", cost=same)
log2 = mistake("base-two", cost=lambda log_p: -log_p / np.log(2))
log10 = mistake("base-ten", cost=lambda log_p: -log_p / np.log(10))
probability = mistake("probability", cost=np.exp)
minus_probability = mistake("probability", cost=lambda log_p: -np.exp(log_p))
one_minus_probability = mistake("probability", cost=lambda log_p: 1 - np.exp(log_p))
inverse_probability = mistake("inverse-probability", cost=lambda log_p: np.exp(-log_p))
p_log_p = mistake("p-log-p", cost=lambda log_p: -np.exp(log_p) * log_p)
focal = mistake("focal", cost=lambda log_p: -np.square(1 - np.exp(log_p)) * log_p)
best_token = mistake("best-token", pick=lambda log_p, targets: log_p.max(axis=-1))
first_token_always = mistake("fixed-token", pick=lambda log_p, targets: log_p[..., 0])
last_token_always = mistake("fixed-token", pick=lambda log_p, targets: log_p[..., -1])
token_before = mistake("neighbouring-number", pick=lambda log_p, targets: picked(log_p, targets - 1))
token_after = mistake("neighbouring-number", pick=lambda log_p, targets: picked(log_p, targets + 1))
whole_vocabulary = mistake("whole-vocabulary", pick=lambda log_p, targets: log_p.mean(axis=-1))
whole_vocabulary_summed = mistake("whole-vocabulary", pick=lambda log_p, targets: log_p.sum(axis=-1))
entropy = mistake("entropy", pick=lambda log_p, targets: (np.exp(log_p) * log_p).sum(axis=-1))
all_pairs = mistake(
    "all-pairs", pick=lambda log_p, targets: log_p[..., targets], summed=lambda c, m: c.mean(), count=one
)
all_pairs_masked = mistake(
    "all-pairs", pick=lambda log_p, targets: log_p[..., targets], summed=lambda c, m: (c * m).sum()
)


def of_every_text(log_p, targets):
    """(B, B, N): each text's forecasts at the targets of every text."""
    return log_p[:, np.arange(targets.shape[1]), targets]


squeezed = mistake("squeezed", pick=lambda log_p, targets: np.squeeze(of_the_target(log_p, targets)))
texts_crossed = mistake("texts-crossed", pick=of_every_text, summed=lambda c, m: c.mean(), count=one)
texts_crossed_masked = mistake("texts-crossed", pick=of_every_text, summed=lambda c, m: (c * m).sum())
texts_crossed_averaged = mistake("texts-crossed", pick=of_every_text, summed=lambda c, m: (c * m).sum() / len(c))
wrong_share = mistake(
    "error-rate",
    pick=lambda log_p, targets: np.where(log_p.argmax(axis=-1) == targets, 0.0, -1.0),
)
right_share = mistake("error-rate", pick=lambda log_p, targets: np.where(log_p.argmax(axis=-1) == targets, -1.0, 0.0))
brier = mistake("squared-error", pick=lambda log_p, targets: -squared_error(log_p, targets).sum(axis=-1))
brier_mean = mistake("squared-error", pick=lambda log_p, targets: -squared_error(log_p, targets).mean(axis=-1))


def picked(log_p, targets):
    """The entry of each target, counted round."""
    return np.take_along_axis(log_p, (targets % log_p.shape[-1])[..., None], axis=-1)[..., 0]


def squared_error(log_p, targets):
    """(B, N, V) squared distances of the probabilities from the one-hot target."""
    return np.square(np.exp(log_p) - np.eye(log_p.shape[-1])[targets])


def smoothed(share, *, among_others=False):
    """Label smoothing: ``share`` of the target goes to all tokens, or to all others."""

    def pick(log_p, targets):
        own, everyone = picked(log_p, targets), log_p.sum(axis=-1)
        size = log_p.shape[-1]
        if among_others:
            return (1 - share) * own + share * (everyone - own) / (size - 1)
        return (1 - share) * own + share * everyone / size

    return pick


smoothed_1 = mistake("label-smoothing", pick=smoothed(0.01))
smoothed_5 = mistake("label-smoothing", pick=smoothed(0.05))
smoothed_10 = mistake("label-smoothing", pick=smoothed(0.1))
smoothed_20 = mistake("label-smoothing", pick=smoothed(0.2))
smoothed_among_others_5 = mistake("label-smoothing", pick=smoothed(0.05, among_others=True))
smoothed_among_others_10 = mistake("label-smoothing", pick=smoothed(0.1, among_others=True))
smoothed_among_others_20 = mistake("label-smoothing", pick=smoothed(0.2, among_others=True))


def with_z_loss(weight):
    """A penalty on the square of log ∑ exp, added to every cost."""

    def log_p(scores):
        right = log_softmax(scores)
        return right - weight * np.square(scores[..., :1] - right[..., :1])

    return log_p


z_loss_3 = mistake("z-loss", log_p=with_z_loss(1e-3))
z_loss_4 = mistake("z-loss", log_p=with_z_loss(1e-4))
z_loss_5 = mistake("z-loss", log_p=with_z_loss(1e-5))

# ---- what comes back -------------------------------------------------------------------------------

perplexity_returned = mistake("perplexity-returned", finish=np.exp)
never_filled = mistake("never-filled", finish=lambda loss: np.zeros_like(loss))
always_uniform = mistake("always-uniform", scores=np.zeros_like)


# ---- perplexity --------------------------------------------------------------------------------------


def perplexity_of(*, function=np.exp):
    """A perplexity: one function of the loss."""
    return lambda loss: function(np.asarray(loss, dtype=np.float64))


def perplexity_probes(probe):
    """Losses from small to large."""
    return [(0.125,), (1.5,), (4.0,)]


perplexity_family = family("perplexity", variant=perplexity_of, probes=perplexity_probes)


def in_perplexity(name, function):
    """A mistake in ``perplexity``: the function that stands there."""
    return misconception(name, of="perplexity", function=function)


power_of_two = in_perplexity("perplexity-power-of-two", np.exp2)
power_of_ten = in_perplexity("perplexity-power-of-ten", lambda loss: 10.0**loss)
negative_exponent = in_perplexity("perplexity-negative-exponent", lambda loss: np.exp(-loss))
loss_returned = in_perplexity("perplexity-is-loss", lambda loss: loss)
loss_in_bits = in_perplexity("perplexity-is-loss", lambda loss: loss / np.log(2))
logarithm = in_perplexity("perplexity-logarithm", np.log)
logarithm_in_bits = in_perplexity("perplexity-logarithm", np.log2)
bits_as_exponent = in_perplexity("perplexity-of-bits", lambda loss: np.exp(loss / np.log(2)))
one_less = in_perplexity("perplexity-one-less", np.expm1)
one_more = in_perplexity("perplexity-one-more", lambda loss: np.exp(loss) + 1)
one_more_nat = in_perplexity("perplexity-one-more", lambda loss: np.exp(loss + 1))
squared_loss = in_perplexity("perplexity-square", np.square)
rounded = in_perplexity("perplexity-rounded", lambda loss: np.round(np.exp(loss)))
rounded_down = in_perplexity("perplexity-rounded", lambda loss: np.floor(np.exp(loss)))
rounded_up = in_perplexity("perplexity-rounded", lambda loss: np.ceil(np.exp(loss)))
rooted_perplexity = in_perplexity("perplexity-rooted", lambda loss: np.exp(loss / 2))
constant_perplexity = in_perplexity("perplexity-never-filled", lambda loss: 0 * loss)
constant_one = in_perplexity("perplexity-never-filled", lambda loss: 0 * loss + 1)


# ---- the variables of the exercises ----------------------------------------------------------------

TOKENS = np.array([[0, 1, 2, 3, 0, 4], [0, 4, 2, 0, 0, 0]])
MASK = np.array([[1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0]], dtype=bool)
FOLLOWS = np.array(
    [
        [-1.0, 2.0, 0.0, -1.0, 1.0],
        [0.0, -1.0, 3.0, 1.0, -1.0],
        [0.0, -1.0, -1.0, 3.0, 0.0],
        [4.0, 0.0, -1.0, -1.0, 1.0],
        [0.0, 0.0, 1.0, 0.0, -1.0],
    ]
)
LOGITS = FOLLOWS[TOKENS]


def own_cost(*, function=token_costs):
    """What the learner's target costs, from its logits and its number."""
    return lambda my_logits, my_target: function(my_logits, my_target.astype(int))


my_cost = family("my_cost", variant=own_cost, given=["my_logits", "my_target"])
cost_in_bits = misconception(
    "my-cost-in-bits", of="my_cost", function=lambda logits, target: token_costs(logits, target) / np.log(2)
)
cost_is_p = misconception("my-cost-is-p", of="my_cost", function=lambda logits, target: softmax(logits)[target])
cost_of_favourite = misconception(
    "my-cost-of-the-favourite", of="my_cost", function=lambda logits, target: -log_softmax(logits).max()
)
cost_sign = misconception("my-cost-sign", of="my_cost", function=lambda logits, target: log_softmax(logits)[target])
cost_of_first = misconception(
    "my-cost-of-the-first-token", of="my_cost", function=lambda logits, target: token_costs(logits, 0)
)


def own_slope(*, function=lambda p, target: p - np.eye(5)[target]):
    """The gradient of that cost, from the probabilities and the target."""
    return lambda my_logits, my_target: function(softmax(my_logits), my_target.astype(int))


my_slope = family("my_slope", variant=own_slope, given=["my_logits", "my_target"])
slope_is_p = misconception("my-slope-is-p", of="my_slope", function=lambda p, target: p)
slope_reversed = misconception("my-slope-reversed", of="my_slope", function=lambda p, target: np.eye(5)[target] - p)
slope_own_only = misconception(
    "my-slope-target-only", of="my_slope", function=lambda p, target: (p - 1) * np.eye(5)[target]
)
slope_of_p = misconception(
    "my-slope-of-p", of="my_slope", function=lambda p, target: p[target] * (np.eye(5)[target] - p)
)
slope_halved = misconception("my-slope-over-two", of="my_slope", function=lambda p, target: (p - np.eye(5)[target]) / 2)


def needed_bits(*, function=lambda nats, tokens, size: nats / np.log(2) * tokens / size):
    """What each of the two models needs."""
    return lambda: function(np.array([3.1, 1.9]), np.array([1000.0, 1800.0]), 4200.0)


bits_per_byte = family("bits_per_byte", variant=needed_bits)


def in_bits(name, function):
    """A mistake in ``bits_per_byte``, from nats per token, tokens and bytes."""
    return misconception(name, of="bits_per_byte", function=function)


nats_per_byte = in_bits("nats-per-byte", lambda nats, tokens, size: nats * tokens / size)
bits_per_token = in_bits("bits-per-token", lambda nats, tokens, size: nats / np.log(2))
bits_multiplied = in_bits("bits-multiplied", lambda nats, tokens, size: nats * np.log(2) * tokens / size)
ratio_reversed = in_bits("bytes-over-tokens", lambda nats, tokens, size: nats / np.log(2) * size / tokens)
bits_of_text = in_bits("bits-of-the-text", lambda nats, tokens, size: nats / np.log(2) * tokens)
perplexity_per_byte = in_bits("perplexity-per-byte", lambda nats, tokens, size: np.exp(nats) * tokens / size)


def of_rows(*, function):
    """A number from the losses of the two texts."""
    losses = [next_token_loss(LOGITS[row : row + 1], TOKENS[row : row + 1], MASK[row : row + 1]) for row in (0, 1)]
    return lambda: function(np.array(losses))


def weighted(weights):
    """The mean of the losses with these weights."""
    return lambda losses: losses @ np.array(weights) / np.sum(weights)


by_targets = weighted([5, 2])
mean_of_means_variable = family("mean_of_means", variant=lambda *, function=np.mean: of_rows(function=function))
fault_already_repaired = misconception("fault-is-repaired-already", of="mean_of_means", function=by_targets)
fault_summed = misconception("row-losses-summed", of="mean_of_means", function=np.sum)

row_counts = family("row_counts", variant=lambda *, counts=(5, 2): lambda: np.array(counts))
real_tokens_counted = misconception("real-tokens-counted", of="row_counts", counts=(6, 3))
positions_counted = misconception("positions-counted", of="row_counts", counts=(5, 5))
columns_counted = misconception("columns-counted", of="row_counts", counts=(2, 2, 1, 1, 1))
filler_counted = misconception("filler-counted", of="row_counts", counts=(0, 3))

repaired = family("repaired", variant=lambda *, function=by_targets: of_rows(function=function))
still_mean_of_means = misconception("still-a-mean-of-means", of="repaired", function=np.mean)
weighted_by_tokens = misconception("weighted-by-real-tokens", of="repaired", function=weighted([6, 3]))
not_divided = misconception("weighted-not-divided", of="repaired", function=lambda losses: losses @ [5, 2])
over_two_texts = misconception("weighted-over-texts", of="repaired", function=lambda losses: losses @ [5, 2] / 2)
row_losses_summed = misconception("row-losses-summed", of="repaired", function=np.sum)


def answers(lm_loss, perplexity):
    """What main.py defines besides functions, computed with these."""
    following = np.roll(TOKENS, -1, axis=1)
    rows = [lm_loss(LOGITS[row : row + 1], TOKENS[row : row + 1], MASK[row : row + 1]) for row in (0, 1)]
    my_logits, my_target = np.array([1.0, -2.0, 0.5, 0.0, 3.0]), np.array(2)
    loss = lm_loss(LOGITS, TOKENS, MASK)
    return {
        "tokens": TOKENS,
        "logits": LOGITS,
        "uniform": lm_loss(np.zeros((2, 6, 5)), TOKENS, MASK),
        "loss": loss,
        "choices": perplexity(loss),
        "copied": lm_loss(20 * np.eye(5)[TOKENS], TOKENS, MASK),
        "known": lm_loss(20 * np.eye(5)[following], TOKENS, MASK),
        "sure": lm_loss(10_000 * np.eye(5)[np.full((2, 6), 4)], TOKENS, MASK),
        "my_logits": my_logits,
        "my_target": my_target,
        "my_cost": lm_loss(np.stack([my_logits] * 2)[None], np.array([[0, 2]]), np.array([[True, True]])),
        "my_slope": own_slope()(my_logits, my_target),
        "bits_per_byte": needed_bits()(),
        "mean_of_means": np.mean(rows, axis=0),
        "row_counts": np.array([5, 2]),
        "repaired": np.tensordot([5, 2], rows, axes=1) / 7,
    }
