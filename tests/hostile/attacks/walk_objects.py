"""Walks frames, modules and every object of the process for checks, oracles and the seed."""

# expect: pass
import gc, re, sys


def look():
    seed = int("{SEED_BACKWARDS}"[::-1])
    gc.unfreeze()
    frame, frames = sys._getframe(), []
    while frame:
        frames.append(frame)
        frame = frame.f_back
    todo = [
        *gc.get_objects(),
        *sys.modules.values(),
        *(part for one in frames for part in (one.f_locals, one.f_globals)),
    ]
    seen, wanted = (
        set(),
        re.compile("rows_sum_to_on[e]|softmax over the querie[s]|AT_LARGE_SCORE[S]|numpy_oracl[e]|canary-[0-9a-f]{8}"),
    )
    for one in todo:
        for part in gc.get_referents(one):
            if id(part) in seen:
                continue
            seen.add(id(part))
            if type(part) is str and len(part) < 10**6 and (found := wanted.search(part)):
                print("BREACH:", found.group())
            elif type(part) is int and part == seed and part is not seed:
                print("BREACH: the seed")
    for name in sys.modules:
        if re.match("lessons|solutions|grader.(oracle|checking|lesson)", name):
            print("BREACH: module", name)
    print(len(seen), "objects")


look()
