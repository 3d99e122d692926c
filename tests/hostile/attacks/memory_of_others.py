"""Traces the worker and reads and writes its memory."""

# expect: pass
# machine: x86_64
import ctypes, os

parent, buffer = os.getppid(), ctypes.create_string_buffer(64)


class Part(ctypes.Structure):
    _fields_ = (("at", ctypes.c_void_p), ("size", ctypes.c_size_t))


part = Part(ctypes.addressof(buffer), 64)
for request in (0, 16, 0x4206):  # TRACEME, ATTACH, SEIZE
    kernel(101, request, parent, 0, 0)
for number in (310, 311):  # process_vm_readv, process_vm_writev
    kernel(number, parent, ctypes.addressof(part), 1, ctypes.addressof(part), 1, 0)
kernel(312, parent, os.getpid(), 0, 0, 0)  # kcmp
kernel(438, 3, 0, 0)  # pidfd_getfd
kernel(440, 3, 0, 0, 0, 0)  # process_madvise
kernel(448, 3, 0)  # process_mrelease
kernel(256, parent, 64, 0, 0)  # migrate_pages
kernel(279, parent, 0, 0, 0, 0, 0)  # move_pages
attempt(open, f"/proc/{parent}/mem", "rb")
