"""attend aborts."""


# place: after
# expect: error
# says: SIGABRT
def attend(q, k, v):
    __import__("os").abort()
