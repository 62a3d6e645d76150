"""People and voters as one panel: how reliable is each member, and what is the true label of each item?

Two unsupervised models of annotators: each item has one unknown true label, and every member of the panel (a
person, a metric, a ranker) reports it with errors.

* ``dawid-skene``: every member has a full confusion matrix (Dawid & Skene 1979).
* ``mace``: every member either knows the label or guesses (Hovy et al. 2013).

Both estimate a probability for each label of each item. It is shown beside the raw votes and replaces none.
"""
