"""The documentation says what the command does: its commands run, and generated pages are up to date."""

import os
import pathlib
import re
import subprocess
import tomllib

from app import GTVMIN, ROOT, AppTest

# Lines that build or install; they are what brought us here.
NOT_RUN = re.compile(r"^(\./run|\./test|cmake |sudo |git |cd |#|$)")


class Docs(AppTest):
    def test_the_page_of_options_is_what_the_command_generates(self):
        generated = self.gtvmin("docs", "options").stdout
        committed = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
        self.assertEqual(committed, generated, "run: gtvmin docs options > docs/options.md")

    def test_the_page_of_the_reproduction_says_what_the_experiments_say(self):
        page = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
        for path in sorted((ROOT / "experiments").glob("*.toml")):
            experiment = tomllib.loads(path.read_text(encoding="utf-8"))
            section = page.split(f"\n## {experiment['title']}\n")[1].split("\n## ")[0]
            rows = [line.split(" | ") for line in section.splitlines() if line.startswith("| ")]
            with self.subTest(experiment=path.stem):
                for note in experiment["note"]:
                    self.assertIn(f": {note['text']}\n", section)
                was_run = "has not been repeated" not in section
                for check in experiment["check"] if was_run else []:
                    for reading in [check["reading"]] if "reading" in check else ["as-written", "as-run"]:
                        self.assertIn(f"- {reading}, {check['text']}: holds", section)
                for printed in experiment.get("printed", []):
                    names = {method["key"]: method.get("name", method["key"]) for method in experiment["method"]}
                    xs, ys = (value if isinstance(value, list) else [value] for value in (printed["x"], printed["y"]))
                    name = next(f"{name} {variant.get('name', '')}".strip() for key, name in names.items()
                                for variant in experiment.get("variant", [{"key": ""}])
                                if key + variant["key"] == printed["series"])
                    for x, y in zip(xs, ys):
                        stated = next(row[2] for row in rows if row[:2] == [f"| {name}", f"{x:g}"])
                        self.assertLess(abs(float(stated) / y - 1), 0.006, (name, x))

    def test_a_page_of_which_nothing_was_run_again_keeps_every_row(self):
        committed = ROOT / "docs" / "reproduction.md"
        page = self.gtvmin("docs", "reproduction", "--results", "nothing", "--data", "nowhere", "--earlier", committed).stdout
        rows = [[line for line in text.splitlines() if line.startswith("| ")]
                for text in (committed.read_text(encoding="utf-8"), page)]
        self.assertGreater(len(rows[0]), 100)
        self.assertEqual(*rows)

    def test_the_commands_of_the_pages_run_as_they_are(self):
        pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
        has_federation = os.environ.get("GTVMIN_HAS_FEDERATION", "ON").upper() in ("ON", "TRUE", "1")
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
                if not has_federation and re.search(r"trial/|gtvmin (federation|agent)", script):
                    continue
                commands += script.count("gtvmin ")
                with self.subTest(page=page.name, script=script):
                    done = subprocess.run(["bash", "-e", "-c", script], cwd=folder, env=environment, text=True,
                                          capture_output=True, timeout=300)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreater(commands, 0)
