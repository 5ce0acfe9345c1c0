"""What every part uses: the product and its peers as processes, and the table of results."""
