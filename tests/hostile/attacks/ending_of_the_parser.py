"""A file that no parser can nest: the process ends before the first statement."""

# place: alone
# expect: error
x = {NESTED}
