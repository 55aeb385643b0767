"""The documentation says what the command does: its commands run, and generated pages are up to date."""

import os
import pathlib
import re
import subprocess

from app import GTVMIN, ROOT, AppTest

# Lines that build or install; they are what brought us here.
NOT_RUN = re.compile(r"^(\./run|\./test|cmake |sudo |git |cd |#|$)")


class Docs(AppTest):
    def test_the_page_of_options_is_what_the_command_generates(self):
        generated = self.gtvmin("docs", "options").stdout
        committed = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
        self.assertEqual(committed, generated, "run: gtvmin docs options > docs/options.md")

    def test_the_commands_of_the_pages_run_as_they_stand_there(self):
        pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
        environment = {**os.environ, "PATH": f"{pathlib.Path(GTVMIN).parent}:{os.environ['PATH']}"}
        commands = 0
        for page in pages:
            folder = self.folder / page.stem
            folder.mkdir()
            (folder / "data").symlink_to(ROOT / "data")
            (folder / "results").mkdir()
            for block in re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
                lines = [line.replace("build/release/bin/gtvmin", "gtvmin") for line in block.splitlines()]
                script = "\n".join(line for line in lines if not NOT_RUN.match(line))
                commands += script.count("gtvmin ")
                with self.subTest(page=page.name, script=script):
                    done = subprocess.run(["bash", "-e", "-c", script], cwd=folder, env=environment, text=True,
                                          capture_output=True, timeout=300)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreater(commands, 0)
