"""An interpreter that keeps its names, as a notebook does: a line [code, environment] in, a line with the fault out."""

import json
import os
import sys
import traceback

lines = sys.stdin
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
names = {"__name__": "__main__"}
for line in lines:
    code, environment = json.loads(line)
    os.environ.update(environment)
    fault = ""
    try:
        exec(compile(code, "<the page>", "exec"), names)
    except BaseException:
        fault = traceback.format_exc()
    answers.write(json.dumps(fault) + "\n")
    answers.flush()
