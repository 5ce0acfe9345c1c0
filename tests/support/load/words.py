"""Words of generated documents, one by one."""

import numpy as np

from solrbench.contract.generated_documents import _word_letters


def word(rank: int, seed: int) -> str:
    letters: bytes = _word_letters(np.array([rank], dtype=np.int64), seed).tolist()[0]
    return letters.decode()
