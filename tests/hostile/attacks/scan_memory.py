"""Reads the raw memory around its heap, page by page, for what Python does not show."""

# expect: pass
import ctypes, os, re


def scan():
    libc, (reading, writing) = ctypes.CDLL(None), os.pipe()
    page, pages = 4096, 0
    wanted = re.compile(rb"rows_sum_to_on[e]|canary-[0-9a-f]{8}|HEADWORK_CANARY_SECRE[T]")
    libc.write.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
    for middle in {
        id(object()) >> 26,
        id(scan) >> 26,
        ctypes.addressof(ctypes.c_char()) >> 26,
        ctypes.addressof(ctypes.c_char.in_dll(libc, "environ")) >> 26,
    }:
        for address in range(middle << 26, (middle << 26) + (1 << 26), page * 4):
            if libc.write(writing, address, page * 4) > 0:
                pages += 1
                if found := wanted.search(os.read(reading, page * 4)):
                    print("BREACH: memory holds", found.group()[:12])
    os.close(reading), os.close(writing)
    print(pages, "blocks read")


scan()
