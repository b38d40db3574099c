"""The same stream by every way in, cut in every way: the same outcome."""
