"""attend returns lists that hold themselves."""


# place: after
# expect: fail|error
def attend(q, k, v):
    loop = []
    loop.append(loop)
    return loop, loop
