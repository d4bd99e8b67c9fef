"""A run with --report writes its page beside the results; one that cannot be written is said, and changes no exit code.

usage: report_beside.py ATTENTION_ERROR STUDY.toml FOLDER
"""

import pathlib
import subprocess
import sys
import tempfile


def run(program, *arguments):
    return subprocess.run([program, *arguments, "--quiet"], capture_output=True, text=True)


def main():
    program, study = sys.argv[1:3]
    with tempfile.TemporaryDirectory(dir=sys.argv[3]) as name:
        folder = pathlib.Path(name)
        done = run(program, study, "-o", folder / "a.h5", "--report")
        assert done.returncode == 0, done.stderr
        lines = done.stdout.splitlines()
        assert lines[-2:] == [f"results: {folder / 'a.h5'}", f"report: {folder / 'a.html'}"], lines[-2:]
        (folder / "a.html").write_text("mine")
        assert run(program, study, "-o", folder / "b.h5").stdout.splitlines()[-1].startswith("results:")
        assert not (folder / "b.html").exists(), "no page that nobody asked for"
        (folder / "a.h5").unlink()
        again = run(program, study, "-o", folder / "a.h5", "--report")
        assert again.stdout.splitlines()[-1] == f"report: {folder / 'a-2.html'}"
        assert (folder / "a.html").read_text() == "mine"
        forced = run(program, study, "-o", folder / "a.h5", "--report", "--force")
        assert forced.stdout.splitlines()[-1] == f"report: {folder / 'a.html'}"
        assert (folder / "a.html").read_text().startswith("<!doctype html>")

        long = folder / ("x" * 244 + ".h5")  # room for .h5.partial in a file name, not for .html.partial-PID
        late = run(program, study, "-o", long, "--report")
        assert late.returncode == 0 and long.exists(), late.stderr
        assert late.stdout.splitlines()[-1] == f"results: {long}"
        assert "warning: no report was written: cannot write" in late.stderr
    print("pages stand beside their results, and failures are said")


main()
