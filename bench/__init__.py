"""What the load core and the operator can do, and how right they are: `make bench`.

Everything is bounded in time and count, and nothing leaves the machine.
"""
