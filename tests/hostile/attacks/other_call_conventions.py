"""Calls the kernel by the conventions of 32-bit programs; the filter kills the process."""

# expect: pass, event died
# machine: x86_64
import ctypes, mmap

kernel(0x40000000 + 41, 1, 1, 0)  # x32
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(b"\xb8\x67\x01\x00\x00\x53\xbb\x02\x00\x00\x00\xcd\x80\x5b\xc3")  # i386 socket by int 0x80
print("BREACH:", ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))())
