"""A job object: by which, on Windows, a program and all that it started can be ended.

A process belongs to its parent's job, wherever it goes; a process group is no such thing there. What the program starts
before it is put into its job escapes: that is in the first milliseconds, in which it is still being loaded.

https://learn.microsoft.com/windows/win32/procthread/job-objects
"""

from __future__ import annotations

import sys

if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _SET_QUOTA, _TERMINATE = 0x0100, 0x0001  # the rights that a process must grant to be put into a job
    _ACCOUNTING = 1  # JobObjectBasicAccountingInformation

    class _Accounting(ctypes.Structure):
        _fields_ = (
            ("TotalUserTime", ctypes.c_longlong),
            ("TotalKernelTime", ctypes.c_longlong),
            ("ThisPeriodTotalUserTime", ctypes.c_longlong),
            ("ThisPeriodTotalKernelTime", ctypes.c_longlong),
            ("TotalPageFaultCount", wintypes.DWORD),
            ("TotalProcesses", wintypes.DWORD),
            ("ActiveProcesses", wintypes.DWORD),
            ("TotalTerminatedProcesses", wintypes.DWORD),
        )

    _kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    _kernel.CreateJobObjectW.restype = wintypes.HANDLE
    _kernel.CreateJobObjectW.argtypes = (ctypes.c_void_p, wintypes.LPCWSTR)
    _kernel.OpenProcess.restype = wintypes.HANDLE
    _kernel.OpenProcess.argtypes = (wintypes.DWORD, wintypes.BOOL, wintypes.DWORD)
    _kernel.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
    _kernel.TerminateJobObject.argtypes = (wintypes.HANDLE, wintypes.UINT)
    _kernel.QueryInformationJobObject.argtypes = (
        wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD, ctypes.c_void_p,
    )  # fmt: skip
    _kernel.CloseHandle.argtypes = (wintypes.HANDLE,)

    class Job:
        """The job of one program. Where the system grants none, it is empty and does nothing."""

        def __init__(self, pid: int) -> None:
            self._handle = _kernel.CreateJobObjectW(None, None)
            process = _kernel.OpenProcess(_SET_QUOTA | _TERMINATE, False, pid)
            if process:
                if self._handle:
                    _kernel.AssignProcessToJobObject(self._handle, process)
                _kernel.CloseHandle(process)

        @property
        def is_active(self) -> bool:
            """Whether a process of it still runs."""
            counts = _Accounting()
            size = ctypes.sizeof(counts)
            if not self._handle:
                return False
            known = _kernel.QueryInformationJobObject(self._handle, _ACCOUNTING, ctypes.byref(counts), size, None)
            return bool(known) and counts.ActiveProcesses > 0

        def terminate(self) -> None:
            """End all its processes."""
            if self._handle:
                _kernel.TerminateJobObject(self._handle, 1)

        def close(self) -> None:
            """Give it back; its processes go on."""
            handle, self._handle = self._handle, None
            if handle:
                _kernel.CloseHandle(handle)
