"""The program under attack: a process of it, and its answers."""

import fcntl
import json
import pathlib
import signal
import struct
import subprocess
import termios
import time

PATIENCE = 300  # seconds; only a command that never ends takes so long
BOUND = 200  # seconds that a command may wait for a file that another process holds
CRASHES = {signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV, signal.SIGTRAP}


class Program:
    """A process of passcode. An attack that starts one loses if it hangs or crashes."""

    path = pathlib.Path()

    def __init__(self, run, words, lock, witness=None, prefix=(), folder=None, stdin=subprocess.PIPE):
        self.run, self.words, self.typed = run, words, b""
        command = [*prefix, str(Program.path), *words, *lock]
        if witness:
            command += ["--witness", str(witness)]
        # Without a buffer, because the gate writes a byte of its own.
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)

    def reach_gate(self, passcode):
        """Types the first byte of a passcode, and waits until the program has read it: then it has opened the lock, and
        waits for the rest. A program that refuses the try ends before; one that hangs is noticed by answer()."""
        self.typed = passcode.encode()[:1]
        try:
            self.process.stdin.write(self.typed)
        except BrokenPipeError:
            return
        end = time.monotonic() + BOUND
        while self.process.poll() is None and self.unread() and time.monotonic() < end:
            time.sleep(0.001)

    def unread(self):
        """The bytes that wait in the pipe."""
        return struct.unpack("i", fcntl.ioctl(self.process.stdin.fileno(), termios.FIONREAD, bytes(4)))[0]

    def answer(self, *passcodes, timeout=PATIENCE):
        """Types passcodes, or the rest of one, and waits for the end."""
        text = "".join(f"{passcode}\n" for passcode in passcodes).encode()[len(self.typed):]
        try:
            output, errors = self.process.communicate(text if self.process.stdin else None, timeout)
            answer = Answer(self.process.returncode, output.decode(errors="replace"), errors.decode(errors="replace"))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            answer = Answer(None, "", "")
        self.run.observe(" ".join(self.words), answer)
        return answer


class Answer:
    """How a command ended. The code is None if it had to be killed because it waited for ever."""

    def __init__(self, code, output, errors):
        self.code, self.output, self.errors = code, output, errors
        self.is_right = "Unlocked." in output
        self.is_wrong = "Wrong passcode." in errors
        self.has_enrolled = "Enrolled." in output
        # Who reads it knows more about the passcode than before.
        self.is_definite = self.is_right or self.is_wrong
        self.has_crashed = code is not None and -code in CRASHES
        self.has_reached_lock = self.is_of_lock()

    def is_of_lock(self):
        """Whether the lock has answered, rather than the shell, the parser of arguments, the check of limits, or a folder
        without a lock."""
        if self.code is None or self.code < 0 or self.code in (126, 127):
            return False
        text = self.output + self.errors
        is_usage = self.code == 64 and "Usage:" in text
        return not (is_usage or "No passcode has been chosen yet." in text or "may not open as many" in text)


class Status:
    def __init__(self, answer):
        found = json.loads(answer.output or '{"status": "silent"}')
        self.name, self.reason = found["status"], found.get("reason")
        self.count, self.remaining = found.get("attemptCount"), found.get("remaining", 0)
        self.moment = time.monotonic()
        self.has_reached_lock, self.is_definite = answer.has_reached_lock, False

    def __str__(self):
        return f"{self.name} {self.reason} {self.count}"

    @property
    def is_usable(self):
        return self.name in ("ready", "delayed")

    def is_milder_than(self, other):
        """Whether an attacker is better off than with the other status."""
        if self.reason == "notEnrolled":
            return True
        if not self.is_usable:
            return False
        must_wait = other.remaining - (self.moment - other.moment) > 1
        return self.count < other.count or (self.name == "ready" and must_wait)


def at(path):
    return ["--file", str(path)]
