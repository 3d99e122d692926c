"""Enters namespaces, mounts, changes its root and its user."""

# expect: pass
# machine: x86_64
import os

for flags in (0x10000000, 0x20000, 0x40000000, 0x20000000, 0x08000000, 0x04000000, 0x00000400, 0x00000200):
    kernel(272, flags)  # unshare
kernel(308, 3, 0)  # setns
kernel(165, 0, 0, 0, 0, 0)  # mount
kernel(166, 0, 0)  # umount2
kernel(155, 0, 0)  # pivot_root
for number in (428, 429, 430, 431, 432, 442):  # open_tree, move_mount, fsopen, fsconfig, fsmount, mount_setattr
    kernel(number, 0, 0, 0, 0, 0)
attempt(os.chroot, ".")
kernel(135, 0x0400000)  # personality: executable data
for number in (105, 106, 113, 114, 116, 117, 119, 122, 123, 126):  # setuid to setfsgid, capset
    kernel(number, 0, 0, 0)
kernel(170, 0, 0)  # sethostname
kernel(171, 0, 0)  # setdomainname
