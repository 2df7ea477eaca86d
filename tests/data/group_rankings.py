"""Write group_rankings.json: values of ranx and pytrec_eval for queries without ties.

pip install ranx pytrec_eval-terrier && python tests/data/group_rankings.py
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytrec_eval
import ranx

NAMES = {"ndcg": "ndcg", "ndcg@5": "ndcg@5", "reciprocal_rank": "mrr", "reciprocal_rank@3": "mrr@3",
         "average_precision": "map", "precision@5": "precision@5", "recall@5": "recall@5",
         "hit_rate@2": "hit_rate@2"}  # fmt: skip
TREC = {"ndcg": "ndcg", "ndcg@5": "ndcg_cut.5", "reciprocal_rank": "recip_rank",
        "average_precision": "map", "precision@5": "P.5", "recall@5": "recall.5",
        "hit_rate@2": "success.2"}  # fmt: skip

rng = np.random.default_rng(0)
query = rng.integers(30, size=240)
relevance = rng.choice(4, size=240, p=[0.6, 0.2, 0.1, 0.1])
score = rng.permutation(240) / 240
kept = np.isin(query, np.unique(query[relevance > 0]))
query, relevance, score = query[kept], relevance[kept], score[kept]


def by_query(values):
    rows = {}
    for k, (q, value) in enumerate(zip(query.tolist(), values, strict=True)):
        rows.setdefault(f"q{q:02d}", {})[f"d{k}"] = value
    return rows


gains, run = by_query(relevance.tolist()), by_query(score.tolist())
binary = by_query((relevance > 0).astype(int).tolist())
found = {"ranx": {}, "pytrec_eval": {}}
for name, theirs in NAMES.items():
    qrels = gains if name.startswith("ndcg") else binary
    scores = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), theirs, return_mean=False)
    ids = sorted(qrels)
    found["ranx"][name] = dict(zip(ids, map(float, scores), strict=True))
    if name in TREC:
        measure = TREC[name]
        each = pytrec_eval.RelevanceEvaluator(qrels, {measure}).evaluate(run)
        found["pytrec_eval"][name] = {q: each[q][measure.replace(".", "_")] for q in ids}
versions = {name: version(name) for name in ("ranx", "pytrec_eval-terrier")}
content = {"versions": versions, "query": query.tolist(), "relevance": relevance.tolist(),
           "score": score.tolist(), "values": found}  # fmt: skip
Path(__file__).with_name("group_rankings.json").write_text(json.dumps(content) + "\n")
