"""What a ZooKeeper ensemble says of itself."""

import re

from solrbench.net.deadline_transport import AddressCheck
from solrbench.net.four_letter_words import connect, send_command


def any_reachable(servers: str, check: AddressCheck | None = None) -> bool:
    """Return whether one of `host:port,[address]:port` takes a connection.

    No word is sent: an outside ensemble may serve none.

    Args:
        servers: as in a connection string, without the path
        check: of the addresses of each connection

    """
    for server in servers.split(","):
        host, _, port = server.rpartition(":")
        try:
            connect(host.strip("[]"), int(port), check).close()
        except (OSError, ValueError):  # ValueError: no port, or no host name
            continue
        return True
    return False


def ensemble_size(hosts: list[str], port: int) -> int:
    """Return the members that serve: the leader and the followers in step with it, or 0.

    A lone server has the state `standalone` and counts as 1.
    """
    for host in hosts:
        values = _monitor(host, port)
        if values.get("zk_server_state") == "standalone":
            return 1
        if values.get("zk_server_state") == "leader":
            return 1 + int(float(values.get("zk_synced_followers", "0")))
    return 0


def max_heap_bytes(host: str, port: int) -> int | None:
    """Return the maximum heap of a member's JVM in bytes, to the mebibyte.

    `None` if the member does not serve `envi`, which it must list in `4lw.commands.whitelist`. The
    line is `os.memory.max=512MB`, of `Runtime.maxMemory` (ZooKeeper 3.5 and later).
    """
    found = re.search(r"^os\.memory\.max=(\d+)MB$", send_command(host, port, "envi"), re.MULTILINE)
    return int(found[1]) * 2**20 if found else None


def _monitor(host: str, port: int) -> dict[str, str]:
    lines = send_command(host, port, "mntr").splitlines()
    pairs = (line.split("\t", 1) for line in lines)
    return {pair[0]: pair[1].strip() for pair in pairs if len(pair) == 2}
