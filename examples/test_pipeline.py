# Runs the tests of a project and reports what came of them: cd examples/sample && talaria code ../test_pipeline.py
# The sample's tests are unittest's. For pytest: "python -m pytest --tb=short -q 2>&1", and count " passed", " failed"
# and " error".
from hermes_tools import terminal, read_file
import json

# Run tests, parse results, and report
result = terminal("python3 -m unittest -v 2>&1", timeout=120)
output = result.get("output", "")

# Parse test output
passed = output.count("... ok")
failed = output.count("... FAIL")
errors = output.count("... ERROR")

report = {
    "passed": passed,
    "failed": failed,
    "errors": errors,
    "exit_code": result.get("exit_code", -1),
    "summary": output[-500:] if len(output) > 500 else output
}

print(json.dumps(report, indent=2))
