"""What is asked: servers, most of them on loopback, that count or know what they did."""
