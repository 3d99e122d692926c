"""Patches the classes of the worker that run and answer; what they send is still judged outside."""

# place: after
# expect: fail|error
import sys, numpy

arrays = sys.modules["grader.running.values"].Arrays
arrays.is_array = lambda *_: True
arrays.to_array = lambda self, value: numpy.zeros((2, 2))
arrays.unpack = lambda self, value, outputs: tuple(numpy.zeros((3, 4)) for _ in range(outputs))
sys.modules["grader.running.listing"].Listing.line_of = lambda *_: 10**9
