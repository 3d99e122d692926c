"""attend ends the process as if all were well."""


# place: after
# expect: error
# says: exit code 0
def attend(q, k, v):
    __import__("os")._exit(0)
