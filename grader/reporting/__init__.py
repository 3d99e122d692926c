"""Reports: the versioned JSON contract and what people read."""
