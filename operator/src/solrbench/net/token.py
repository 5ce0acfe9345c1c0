"""The token that the processes of one load, or of one target, know each other by.

The operator draws it and keeps it in a ConfigMap. Users who may read the ConfigMaps of the
namespace know it; other pods, which may reach the same ports, do not.
"""

import hmac
import logging

TOKEN_HEADER = "Solrbench-Token"  # noqa: S105 - name of a header
_MAX_CHARACTERS = 60
_logger = logging.getLogger(__name__)


class TokenCheck:
    """Admits those who send `token`, and counts all others in `refused`.

    Threads may share it: of two that are refused at once one may not be counted.
    """

    def __init__(self, token: str) -> None:
        self.token = token.encode()
        self.refused = 0

    def admits(self, given: str | bytes | None, what: str) -> bool:
        """Return whether `given` is the token; `what` was asked for, as the log calls it."""
        sent = given.encode("utf-8", "replace") if isinstance(given, str) else given or b""
        # Two empty texts are equal, but a check without a token admits none.
        if self.token and hmac.compare_digest(sent, self.token):
            return True
        self.refused += 1
        # At powers of two: who knocks all day must not fill the log.
        if self.refused & (self.refused - 1) == 0:
            number, shown = self.refused, what[:_MAX_CHARACTERS]
            _logger.warning("refusal %d of what came without the token: %r", number, shown)
        return False
