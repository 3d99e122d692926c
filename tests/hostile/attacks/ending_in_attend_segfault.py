"""attend reads address 0."""


# place: after
# expect: error
# says: SIGSEGV
def attend(q, k, v):
    __import__("ctypes").string_at(0)
