"""Nothing is missing from the documentation: pages, options, commands and files are listed, and links lead somewhere."""

import re
import unittest

from app import FILES, ROOT, AppTest

DOCS = ROOT / "docs"
INDEX = DOCS / "index.md"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "SECURITY.md", ROOT / "data" / "README.md",
         *sorted(DOCS.glob("*.md"))]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def text_of(path):
    return path.read_text(encoding="utf-8")


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", re.sub(r"(?ms)^```.*?^```$", "", text))


def anchor(heading):
    """The name by which a heading can be linked, as GitHub makes it."""
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", words.replace("`", "")).replace(" ", "-")


def anchors(path):
    text = re.sub(r"(?ms)^```.*?^```$", "", text_of(path))
    return {anchor(heading) for heading in re.findall(r"(?m)^#+ (.*)$", text)}


def option_names(help_text):
    return {name for name in re.findall(r"(?m)^ +(?:-h,)?(--[a-z0-9][a-z0-9-]*)", help_text)
            if name not in ("--help", "--version") and not name.startswith("--no-")}


class Links(unittest.TestCase):
    def test_every_link_leads_to_a_file_and_to_a_heading_of_it(self):
        for page in PAGES:
            for target in LINK.findall(without_code(text_of(page))):
                if re.match(r"[a-z]+:", target):
                    continue
                with self.subTest(page=page.name, link=target):
                    name, _, heading = target.partition("#")
                    file = (page.parent / name).resolve() if name else page
                    self.assertTrue(file.exists(), f"{target} does not exist")
                    if heading:
                        self.assertIn(heading, anchors(file))

    def test_a_dead_link_would_be_found(self):
        self.assertEqual(LINK.findall(without_code("[a](b.md#c) `[x](y)` ![p](q.svg)")), ["b.md#c", "q.svg"])
        self.assertEqual(anchor("`gtvmin solve` and λ, [here](x.md)"), "gtvmin-solve-and-λ-here")


class Index(AppTest):
    def commands(self, *command):
        """All commands below this one, with their help."""
        text = self.gtvmin(*command, "--help").stdout
        listed = text.split("Subcommands:\n")[1] if "Subcommands:\n" in text else ""
        names = re.findall(r"(?m)^  ([a-z][a-z0-9-]*)", listed)
        if not names:
            return [(command, text)]
        return [found for name in names for found in self.commands(*command, name)]

    def test_every_page_is_in_the_index_with_a_line_about_it(self):
        index = text_of(INDEX)
        for page in [*sorted(DOCS.glob("*.md")), *sorted(ROOT.glob("*.md"))]:
            if page == INDEX or page == ROOT / "README.md":
                continue
            with self.subTest(page=page.name):
                self.assertRegex(index, rf"(?m)^\| \[{re.escape(page.name)}\]\([./]*{re.escape(page.name)}\) \| \S.* \|$")

    def test_every_command_is_in_the_index(self):
        index = text_of(INDEX)
        for name in {command[0] for command, _ in self.commands()}:
            self.assertIn(f"| `gtvmin {name}` |", index)

    def test_every_option_of_every_command_is_on_the_page_of_options(self):
        page = text_of(DOCS / "options.md")
        commands = self.commands()
        self.assertGreater(len(commands), 20)
        for command, text in commands:
            section = page.split(f"\n## gtvmin {command[0]}")[1].split("\n## ")[0]
            solve = page.split("\n## gtvmin solve")[1].split("\n## ")[0]
            agent = page.split("\n## gtvmin agent")[1].split("\n## ")[0]
            shared = {"baseline": solve, "federation": agent}.get(command[0], "")
            self.assertGreater(len(option_names(text)), 0, command)
            for name in option_names(text):
                with self.subTest(command=" ".join(command), option=name):
                    self.assertIn(f"| `{name}` |", section + shared)

    def test_every_option_that_a_page_mentions_exists(self):
        known = {name for _, text in self.commands() for name in option_names(text)}
        known |= {"--no-" + name[2:] for name in known} | {"--version", "--help"}
        # Of the build, of other programs, and of developers' commands; and those of the next solver.
        known |= {"--preset", "--build", "--install", "--quick", "--earlier", "--results", "--markdown", "--no-build", "--only",
                  "--ten-million", "--gtvmin", "--seeds", "--accelerators", "--write", "--polish", "--name", "--no-name"}
        for page in PAGES:
            prose = re.sub(r"https?:\S+", "", text_of(page))
            for name in set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", prose)):
                with self.subTest(page=page.name, option=name):
                    self.assertIn(name, known)

    def test_options_are_listed_once_per_section(self):
        for section in text_of(DOCS / "options.md").split("\n## ")[1:]:
            rows = re.findall(r"(?m)^\| `(--[a-z0-9-]+)` \|", section)
            subsections = max(1, section.count("\n### gtvmin federation"))
            for name in rows:
                self.assertLessEqual(rows.count(name), subsections, (section.split("\n")[0], name))


class Files(AppTest):
    def columns(self, path):
        return path.read_text(encoding="utf-8").split("\n", 1)[0].split(",")

    def test_every_file_that_a_command_writes_and_its_columns_are_described(self):
        formats, index = text_of(DOCS / "formats.md"), text_of(INDEX)
        self.gtvmin("generate", "sbm", "--sizes", "5,5", "--dimension", "2", "--out", "p")
        self.gtvmin("solve", "--data", "p/data.csv", "--edges", "p/edges.csv", "--lambda", "0.1", "--out", "r")
        self.gtvmin("baseline", "ditto", "--data", "p/data.csv", "--rounds", "3", "--out", "b")
        self.gtvmin("demo", "sacramento", "--data", ROOT / "data" / "sacramento.csv", "--out", "d")
        written = {file.name for folder in ("p", "r", "b", "d") for file in (self.folder / folder).iterdir()}
        self.assertLessEqual(set(FILES), written)
        for name in written:
            with self.subTest(file=name):
                self.assertIn(f"`{name}`", formats)
                self.assertIn(f"`{name}`", index)
        for name in ("nodes.csv", "edges.csv", "trace.csv", "clusters.csv"):
            for column in self.columns(self.folder / "r" / name):
                with self.subTest(file=name, column=column):
                    self.assertRegex(formats, rf"`{re.escape(name)}` \|.*\b{column}\b")

    def test_every_field_of_the_summary_is_described(self):
        formats = text_of(DOCS / "formats.md")
        self.gtvmin("generate", "sbm", "--sizes", "5,5", "--dimension", "2", "--out", "p")
        self.gtvmin("solve", "--data", "p/data.csv", "--edges", "p/edges.csv", "--lambda", "0.1", "--standardize", "--shards", "2",
                    "--out", "out")
        for name in self.summary():
            with self.subTest(field=name):
                self.assertIn(f"`{name}`", formats)


class Version(AppTest):
    def test_the_version_has_one_source(self):
        version = re.search(r"project\(gtvmin VERSION ([0-9.]+)", text_of(ROOT / "CMakeLists.txt"))[1]
        self.assertEqual(self.gtvmin("--version").stdout.strip(), f"gtvmin {version}")
        self.assertRegex(text_of(ROOT / "CHANGELOG.md"), rf"(?m)^## {re.escape(version)}\b")
        self.assertNotIn("version:", re.sub("cff-version:", "", text_of(ROOT / "CITATION.cff")))
