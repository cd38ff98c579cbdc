"""Reference values for src/stats, from scipy, scikit-learn, statsmodels and mpmath: python make.py > expected.json

Made with the versions that the file names. Tails of t come from mpmath: scipy loses six digits near t = 0.
"""

import json

import mpmath
import numpy as np
import scipy
import statsmodels
import statsmodels.api as sm
from scipy import stats
from scipy.optimize import brentq
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

rng = np.random.default_rng(3)


def paired(n):
    """Differences of two F1-like score lists, rounded so that ties occur, and clusters of one to four questions."""
    a, b = rng.integers(0, 11, n) / 10, rng.integers(0, 10, n) / 10
    clusters = np.repeat(np.arange(n), rng.integers(1, 5, n))[:n]
    return {"differences": (a - b).tolist(), "cluster_of": clusters.tolist()}


def student_tail(t, df):
    """P(|T| >= t) to 30 digits."""
    with mpmath.workdps(30):
        t, df = mpmath.mpf(t), mpmath.mpf(df)
        return float(mpmath.betainc(df / 2, 0.5, 0, df / (df + t * t), regularized=True))


def t_case(n):
    case = paired(n)
    d, clusters = np.array(case["differences"]), np.array(case["cluster_of"])
    t = stats.ttest_1samp(d, 0)
    # solve_power stops at six digits; the power function is exact.
    rough = TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8)
    effect = brentq(lambda effect: TTestPower().power(effect, n, 0.05) - 0.8, 0.9 * rough, 1.1 * rough, xtol=1e-14)
    case |= {"t": t.statistic, "p": t.pvalue, "detectable": effect * d.std(ddof=1), "solve_power": rough * d.std(ddof=1)}
    fit = sm.OLS(d, np.ones(n)).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    case |= {"error_clustered": fit.bse[0], "t_clustered": fit.tvalues[0], "p_clustered": fit.pvalues[0]}
    return case


def exact_case(n):
    """All sign assignments of the cluster sums, counted in integers: the differences are tenths."""
    case = paired(n)
    sums = np.bincount(case["cluster_of"], case["differences"])
    tenths = np.round(sums * 10).astype(int)
    tenths = tenths[tenths != 0]
    signs = 1 - 2 * ((np.arange(2 ** len(tenths))[:, None] >> np.arange(len(tenths))) & 1)
    totals = np.abs(signs @ tenths)
    case |= {"n_clusters": len(tenths), "p": float(np.mean(totals >= abs(tenths.sum())))}
    return case


def bootstrap_case(n):
    """scipy's intervals with the resamples they were read off. Eighths, n a power of two: means are exact."""
    values = np.minimum(rng.integers(0, 14, n), 8) / 8
    test = stats.bootstrap((values,), np.mean, method="BCa", n_resamples=149, rng=rng)
    resampled = test.bootstrap_distribution
    percentile = stats.bootstrap((values,), np.mean, method="percentile", n_resamples=0, bootstrap_result=test)
    return {"values": values.tolist(), "resampled": resampled.tolist(), "percentile": list(percentile.confidence_interval), "bca": list(test.confidence_interval)}


families = [rng.uniform(0, 0.2, n).tolist() for n in (1, 2, 5, 12)] + [[0.04, 0.01, 0.04, 0.9, 0.01]]
values = {
    "scipy": scipy.__version__,
    "statsmodels": statsmodels.__version__,
    "mpmath": mpmath.__version__,
    "normal": [[x, stats.norm.cdf(x)] for x in (-30.0, -8.0, -3.0, -2.0, -1.0, -0.1, 0.0, 0.5, 1.9, 2.1, 5.0)],
    "normal_quantile": [[p, stats.norm.ppf(p)] for p in (1e-300, 1e-10, 0.001, 0.025, 0.3, 0.8, 0.975, 0.9999)],
    "student": [[t, df, student_tail(t, df)] for df in (1, 2, 3, 10, 49, 399, 7404, 1e6) for t in (1e-6, 0.3, 1.0, 1.7, 1.75, 2.5, 6.0, 30.0, 1000.0)],
    "student_quantile": [[p, df, stats.t.ppf(p, df)] for df in (1, 2, 5, 49, 7404) for p in (0.025, 0.6, 0.8, 0.975, 0.9995)],
    "mcnemar": [[b, c, mcnemar([[0, b], [c, 0]], exact=True).pvalue] for b, c in ((0, 0), (0, 1), (1, 1), (3, 10), (10, 3), (5, 6), (40, 60), (700, 800), (900, 1500), (3700, 3705))],
    "holm": [[p, multipletests(p, method="holm")[1].tolist()] for p in families],
    "power": [[d, df, TTestPower().power(d / np.sqrt(df + 1), df + 1, 0.05)] for df in (2, 9, 49, 399, 7404) for d in (0.5, 2.0, 2.8, 4.0)],
    "paired": [t_case(n) for n in (5, 50, 150, 400)],
    "exact": [exact_case(n) for n in (3, 10, 20, 30, 45)],
    "bootstrap": [bootstrap_case(n) for n in (8, 32, 64)],
}
print("{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in values.items()) + "\n}")
