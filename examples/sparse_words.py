"""Twenty of 50,000 words, from a sparse table of which nearly all entries are zero."""

import numpy as np
from scipy.sparse import csc_array, random_array

from handful import InformationSelector
from handful.stopping import EmpiricalProbe

rng = np.random.default_rng(0)
n_texts, n_words, n_telling = 1000, 50_000, 5

# Every word is in 1 % of the texts; the first five are in half of those about the topic.
words = random_array((n_texts, n_words), density=0.01, rng=rng, dtype=bool).tolil()
about = rng.random(n_texts) < 0.3
for word in range(n_telling):
    words[np.flatnonzero(about & (rng.random(n_texts) < 0.5)), word] = True
texts = csc_array(words)

selector = InformationSelector(n_features_to_select=20).fit(texts, about)
print("first words:", selector.selection_order_[:n_telling].tolist())

# How many of the twenty are worth having? A probe says where chance begins.
rule = EmpiricalProbe(risk=0.05, random_state=0)
honest = InformationSelector(n_features_to_select=rule).fit(texts, about)
print("kept by the probe:", sorted(honest.selection_order_.tolist()))
