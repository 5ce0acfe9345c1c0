"""kopf handlers and the reconcile loop; the only package that imports kopf.

The schedule runs one reconcile of a benchmark after another. A reconcile observes, decides,
applies, and writes the status once; any of them may be the first after a crash.
"""
