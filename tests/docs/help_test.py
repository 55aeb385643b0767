"""Help fits the width of the terminal and is written in plain technical English, like the pages."""

import os
import re

from app import ROOT, AppTest

# Words that name no subject, private vocabulary and metaphors; see CONTRIBUTING.md.
AVOIDED = re.compile(r"\b(Who|[Nn]obody|[Ee]verybody|[Ii]n earnest|stands? (?:in|for|on|there)|go(?:es)? on|gears?|pull of|"
                     r"to the letter|steering|whole objective)\b")
COMMANDS = [[], ["solve"], ["baseline"], ["baseline", "ifca"], ["baseline", "mocha"], ["generate", "sbm"], ["graph"], ["predict"],
            ["evaluate"], ["theory"], ["demo", "sacramento"], ["reproduce"], ["federation"], ["federation", "sign"], ["agent"]]


class Help(AppTest):
    def help(self, command, columns=80):
        return self.gtvmin(*command, "--help", env={**os.environ, "COLUMNS": str(columns)}).stdout

    def test_lines_fit_the_width(self):
        for columns in (60, 80, 100):
            for command in COMMANDS:
                for line in self.help(command, columns).splitlines():
                    with self.subTest(command=command, columns=columns):
                        self.assertLessEqual(len(line), columns, line)

    def test_nothing_is_lost_by_wrapping(self):
        def words(text):
            return re.sub(r"\s+", "", text)
        for command in COMMANDS:
            self.assertEqual(words(self.help(command, 60)), words(self.help(command, 120)))

    def test_a_strange_width_does_no_harm(self):
        for columns in ("0", "-5", "wide", "1000000", ""):
            self.assertIn("--lambda", self.gtvmin("solve", "--help", env={**os.environ, "COLUMNS": columns}).stdout)

    def test_options_have_a_sentence_that_says_what_they_do(self):
        for command in COMMANDS:
            text = self.help(command, 120)
            with self.subTest(command=command):
                self.assertEqual(AVOIDED.findall(text), [])
                self.assertNotRegex(text, r"(?m)^  --\S+(?: \S+)?\s+(?:Of|Whether|How|What)\b")


class Pages(AppTest):
    def test_pages_for_users_avoid_private_words(self):
        for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/index.md", "docs/tutorial.md", "docs/choosing-lambda.md",
                     "docs/choosing-a-graph.md", "docs/reading-results.md", "docs/faq.md", "docs/limits.md", "docs/models.md",
                     "docs/formats.md", "docs/graphs.md", "docs/options.md", "docs/cluster.md", "docs/baselines.md"):
            text = re.sub(r"(?ms)^```.*?^```$", "", (ROOT / name).read_text(encoding="utf-8"))
            with self.subTest(page=name):
                self.assertEqual(AVOIDED.findall(text), [])
