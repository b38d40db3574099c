"""What a hostile output costs at most: time that grows with its size, and memory that does not, or within a bound."""
