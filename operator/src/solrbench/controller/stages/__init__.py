"""The stages of a reconcile, in their order; each looks first whether its work is done."""
