"""What the tests of script processes share."""
import unittest

import gateway


class ScriptCase(unittest.TestCase):
    maxDiff = None

    def start(self, answer=gateway.echo, **how):
        self.talk = gateway.Gateway(answer)
        self.addCleanup(self.talk.close)
        script = gateway.Script(self.talk, **how)
        self.addCleanup(script.stop)
        return script

    def run_program(self, source, staging=None, **how):
        """Exit code, stdout, stderr and the last word of a run of its own."""
        script = self.start(**how)
        self.talk.order(1, source, staging=staging)
        code = script.wait()
        return code, script.out.decode(), script.err.decode(), self.talk.next_packet()

    def expect(self, source, out, how="ok", code=0, err="", **more):
        self.assertEqual(self.run_program(source, **more),
                         (code, out, err, {"ended": 1, "how": how, "exit_code": code}))
