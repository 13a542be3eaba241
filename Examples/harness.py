"""What the checks and attacks of this repository share: sentences that fail, waits that end, threads that begin together.

A script puts this folder on its path: sys.path.insert(0, …), then import harness.
"""

import os
import sys
import threading
import time
import traceback


class Failure(Exception):
    """Something is not as promised; the sentence says what."""


def check(condition, sentence):
    if not condition:
        raise Failure(sentence)


def until(condition, what, seconds, pause=0.05):
    """Waits until a condition holds. Returns the seconds that this took."""
    start = time.monotonic()
    while True:
        # Read before the condition: after a stall beyond the limit, the condition is evaluated once more.
        is_late = time.monotonic() - start > seconds
        if condition():
            return time.monotonic() - start
        check(not is_late, f"It took more than {seconds:g} s until {what}.")
        time.sleep(pause)


def together(count, body):
    """Calls body(index) in threads that start at a gate. Returns the results; for a call that failed, its exception."""
    results, gate = [None] * count, threading.Barrier(count)

    def run(index):
        gate.wait()
        try:
            results[index] = body(index)
        except BaseException as error:
            results[index] = error

    threads = [threading.Thread(target=run, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def where(error):
    """An exception with the line that raised it."""
    return f"{error!r} at {traceback.extract_tb(error.__traceback__)[-1]}"


def table(titles, rows=()):
    """Prints a table of Markdown. More rows may follow."""
    row(titles)
    print("|" + "---|" * len(titles), flush=True)
    for each in rows:
        row(each)


def row(values):
    print(f"| {' | '.join(f'{value:,}' if isinstance(value, int) else value for value in values)} |", flush=True)


def run(main):
    """Ends the process with the exit code of main, or with 1 and a sentence, even if threads still wait for something."""
    code = 1
    try:
        code = main() or 0
    except Failure as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
    except SystemExit:
        raise
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
