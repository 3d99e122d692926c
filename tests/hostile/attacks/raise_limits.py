"""Raises its own limits."""

# expect: pass
import resource

for name in dir(resource):
    if name.startswith("RLIMIT_"):
        attempt(resource.setrlimit, getattr(resource, name), (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        attempt(resource.prlimit, 0, getattr(resource, name), (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
