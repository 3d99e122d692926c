"""The file system that a folder is on, as far as it matters to whoever waits for a save."""

from __future__ import annotations

from pathlib import Path

# Changes that others make to these are not reported, and on some not even one's own.
WITHOUT_EVENTS = (
    "9p", "drvfs", "v9fs", "nfs", "cifs", "smb", "afp", "afs", "webdav", "lustre", "gpfs", "beegfs", "ceph", "gluster",
    "fuse.sshfs", "fuse.rclone", "fuse.gvfsd", "fuse.google", "vboxsf", "vmhgfs", "fuse.vmhgfs", "prl_fs", "remote",
)  # fmt: skip


def file_system(folder: Path) -> str:
    """The type of the file system that ``folder`` is on, or nothing where the system does not tell."""
    folder = folder.resolve()
    if str(folder).startswith("\\\\"):  # a share that Windows knows under no letter
        return "remote"
    try:
        import psutil  # only those who ask pay for it

        mounts = [one for one in psutil.disk_partitions(all=True) if folder.is_relative_to(one.mountpoint)]
    except (ImportError, OSError):
        return ""
    # The innermost one; of two mounted on one folder, the later.
    innermost = max(enumerate(mounts), key=lambda one: (len(one[1].mountpoint), one[0]), default=None)
    if innermost is None:
        return ""
    # On Windows the type of a share's file system is that of the server's disk.
    return "remote" if "remote" in innermost[1].opts.split(",") else str(innermost[1].fstype)


def reports_changes(type_name: str) -> bool:
    """Whether file events arrive on a file system of this type; if not, one has to look again and again."""
    return not type_name.lower().startswith(WITHOUT_EVENTS)
