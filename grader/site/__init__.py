"""The lessons as a static site."""
