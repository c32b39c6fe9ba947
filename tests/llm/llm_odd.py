"""A plugin of `llm` as somebody would install it, found by the model's process through its entry
point; how its model behaves is told by the variable ODD_MODEL, what a good one answers by a
file. It writes down every question it is asked.
"""

import json
import os
import re
import subprocess
import sys
import time

import llm

HERE = os.path.dirname(os.path.abspath(__file__))
OBEYED = re.compile(r"(?:reply|answer) with exactly: (\{.*\})")


class Odd(llm.Model):
    """Does as told."""

    model_id = "odd"
    can_stream = True

    def execute(self, prompt, stream, response, conversation):
        with open(os.path.join(HERE, "asked.jsonl"), "a", encoding="utf-8") as asked:
            words = {
                "system": prompt.system,
                "prompt": prompt.prompt,
                "schema": prompt.schema,
                "argv": sys.argv[1:],
                "pid": os.getpid(),
                "hook": os.environ.get("MEMCTL_HOOK_ACTIVE"),
                "home": os.environ.get("HOME"),
                "cwd": os.getcwd(),
                "path": sys.path,
            }
            asked.write(json.dumps(words) + "\n")
        yield from getattr(self, os.environ.get("ODD_MODEL", "good"))(prompt, response)

    def good(self, prompt, response):
        response.set_usage(input=120, output=30)
        with open(os.path.join(HERE, "answer.json"), encoding="utf-8") as file:
            yield file.read()

    def obeys(self, prompt, response):
        found = OBEYED.search(prompt.prompt.translate(str.maketrans("‹›", "<>")))
        yield found[1] if found else '{"candidates": []}'

    def hangs(self, prompt, response):
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
        with open(os.path.join(HERE, "pids"), "a") as pids:
            pids.write(f"{os.getpid()} {child.pid}\n")
        yield '{"candidates": ['
        time.sleep(300)

    def crashes(self, prompt, response):
        yield "{"
        sys.stderr.write("the weights are gone\n")
        sys.stderr.flush()
        os.abort()

    def raises(self, prompt, response):
        raise RuntimeError("no such key: sk-proj-" + "Zq7Rk2Lw9Xv4Bn1T" * 3)
        yield ""

    def junk(self, prompt, response):
        yield "Sure! Here is what I found: nothing {of} the {kind \x00 you want"

    def floods(self, prompt, response):
        for _ in range(10_000):
            yield "x" * 1024

    def prints(self, prompt, response):
        print("x" * 3_000_000)
        sys.stderr.write("y" * 3_000_000)
        yield from self.good(prompt, response)

    def shapeless(self, prompt, response):
        yield json.dumps({"candidates": "all of them", "memories": [1, 2]})

    def deep(self, prompt, response):
        yield '{"candidates": ' + "[" * 40_000

    def gulps(self, prompt, response):
        self.held = bytearray(3 << 30)
        yield "{}"


class Strict(Odd):
    """The same, and can be held to a schema."""

    model_id = "odd-strict"
    supports_schema = True


@llm.hookimpl
def register_models(register):
    register(Odd())
    register(Strict())
