"""Real time in tests: a busy machine is not a slow program, so the best of a few tries counts."""

from functools import wraps


class TooSlowError(AssertionError):
    """What `require_within` raises, and the only failure that is tried again."""


def require_within(seconds, took):
    if took >= seconds:
        raise TooSlowError(f"took {took:.2f} s; {seconds} s are allowed")


def best_of(tries):
    """Run a test again, up to so many times in all, while it is too slow and nothing else."""

    def decorate(test):
        @wraps(test)
        def tried(*arguments, **fixtures):
            for _ in range(tries - 1):
                try:
                    return test(*arguments, **fixtures)
                except TooSlowError:
                    continue
            return test(*arguments, **fixtures)

        return tried

    return decorate
