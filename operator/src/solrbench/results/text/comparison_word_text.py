"""The word of a comparison as text, with what a reader must know beside it."""

from solrbench.api.v1alpha1.status.comparison_word import MORE_THAN_50, Word

NO_WORD = "no word from one repeat"


def format_word(word: Word | None, more_repeats: int | None = None, *, on_target: bool) -> str:
    """Return `Worse on this target`, `Unclear: about 5 more repeats`, or why there is no word."""
    if word is None:
        return NO_WORD
    if word is Word.UNCLEAR:
        return f"{word}{format_more_repeats(more_repeats)}"
    return f"{word} on this target" if on_target else str(word)


def format_more_repeats(more_repeats: int | None) -> str:
    """Return `: about 5 more repeats`; empty if their number is unknown."""
    if more_repeats is None:
        return ""
    if more_repeats >= MORE_THAN_50:
        return ": more than 50 more repeats"
    return f": about {more_repeats} more repeat{'s' if more_repeats > 1 else ''}"
