"""`spec.exclude`: a part of CEL, the Common Expression Language, over the values of a point.

The part has no macros and no regular expressions, so the cost of an expression is that of its
length; what is there gives what CEL in rules of Kubernetes gives, except that texts are not
ordered and values of different types are not compared, both of which are mistakes here.

- `tokens`: an expression in pieces; `nodes`: its parts; `parsing`: from the one to the other
- `functions`: what can be called; `operators`: arithmetic and comparisons, by type
- `evaluation`: the value for one point
- `exclusions`: the points that expressions leave out
"""
