"""attend sleeps through its limit."""


# place: after
# expect: timeout
def attend(q, k, v):
    __import__("time").sleep(10**6)
