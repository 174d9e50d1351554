"""Paths of relations over triples, for the scripts beside it that make questions of them: `ends` of each relation, `^` before one that is followed backwards, and what a
path `reached` from a thing."""

import collections


def ends(triples):
    """Of each relation what stands at its other end, by where one comes from."""
    out = collections.defaultdict(lambda: collections.defaultdict(set))
    for head, relation, tail in triples:
        out[relation][head].add(tail)
        out["^" + relation][tail].add(head)
    return out


def reached(of, thing, steps):
    """What steps lead to from a thing, but for the thing itself."""
    at = {thing}
    for step in steps:
        at = {end for one in at for end in of[step].get(one, ())}
    return at - {thing}
