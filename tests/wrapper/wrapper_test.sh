#!/usr/bin/env bash
# The wrapper, on a small copy of the tree and with stand-ins for the tools it calls: nothing is built or installed,
# and the network is not used. Usage: wrapper_test.sh [NAME...] runs the tests whose names are given, or all.
# shellcheck disable=SC2016  # the stand-ins' scripts expand their own variables
set -euo pipefail

source_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LACUNA_DRY_RUN LACUNA_SKIP_PACKAGES LACUNA_SANITIZE_TESTS LACUNA_JOBS CCACHE_DIR

# ---------------------------------------------------------------- stand-ins

# stand_in NAME: a command of that name, made of the script on stdin.
stand_in() {
  { printf '#!/usr/bin/env bash\n'; cat; } >"$bin/$1"
  chmod +x "$bin/$1"
}

# Everything the package list names is installed, but for the packages given.
installed_except() {
  printf '%s\n' "$@" >"$work/absent"
  stand_in dpkg-query <<END
for pattern in "\${@:3}"; do
  case \$pattern in
    *'['*) ;;
    libboost-dev) ;;
    *) grep -qxF "\$pattern" "$work/absent" || printf '%s 1.0 install ok installed\n' "\$pattern" ;;
  esac
done
exit 1
END
}

# A fresh copy of what the wrapper reads, and stand-ins that fail where they should not be called.
set_up() {
  tree=$work/tree bin=$work/bin
  rm -rf "$tree" "$bin"
  mkdir -p "$tree/cmake" "$tree/experiments/params" "$tree/analysis" "$bin"
  cp "$source_root/lacuna" "$source_root/CMakePresets.json" "$tree/"
  cp "$source_root/cmake/packages.txt" "$tree/cmake/"
  touch "$tree/experiments/alpha_main.cpp" "$tree/experiments/beta_main.cpp" "$tree/analysis/gamma_results_main.cpp"
  printf '[experiment]\nkind = "alpha"\n' >"$tree/experiments/params/quickstart.toml"
  : >"$work/calls"
  installed_except
  stand_in apt-get <<<'echo "apt-get called: $*" >&2; exit 99'
  stand_in apt-cache <<<'[[ $2 == libboost1.81-dev ]]'
  stand_in id <<<'echo 1000'
  stand_in sudo <<<'exit 1'
  stand_in nproc <<<'echo 3'
  # configures: writes what the wrapper looks for; builds: prints ninja's lines, writes the programs
  stand_in cmake <<END
echo "cmake \$*" >>"$work/calls"
case \$1 in
  -S) mkdir -p "$tree/build/\$4"
      touch "$tree/build/\$4/build.ninja"
      printf 'CMAKE_HOME_DIRECTORY:INTERNAL=%s\nLACUNA_TESTS:BOOL=%s\n' "$tree" "\${5#*=}" >"$tree/build/\$4/CMakeCache.txt" ;;
  --build) [[ \$CCACHE_DIR ]] && echo "ccache \$CCACHE_DIR" >>"$work/calls"
      printf '[0/1] Re-running CMake...\n[1/2] Building a.cpp\n'
      if [[ -e $work/broken ]]; then printf '[2/2] Building b.cpp\nFAILED: b.cpp\nb.cpp:1:2: error: no\n'; exit 1; fi
      printf '[2/2] Linking alpha\n'
      mkdir -p "$tree/build/release/experiments"
      printf '#!/usr/bin/env bash\necho "\$PWD"\nprintf "<%%s>" "\$@"\nexit 7\n' >"$tree/build/release/experiments/alpha"
      chmod +x "$tree/build/release/experiments/alpha"
      mkdir -p "$tree/build/release/analysis"
      cp "$tree/build/release/experiments/alpha" "$tree/build/release/analysis/gamma_results" ;;
esac
END
  stand_in ctest <<END
echo "ctest \$*" >>"$work/calls"
echo "100% tests passed"
[[ ! -e $work/tests_fail ]] || exit 8
END
  rm -f "$work/broken" "$work/tests_fail"
}

# ---------------------------------------------------------------- checks

failures=0
fail() {
  printf '  FAILED: %s\n' "$*"
  sed 's/^/    out| /' "$work/out"
  sed 's/^/    err| /' "$work/err"
  failures=$((failures + 1))
}

# lacuna EXPECTED_EXIT_CODE ARGUMENTS...: runs the wrapper in the current folder, keeps its output.
lacuna() {
  local expected=$1 code=0
  shift
  PATH="$bin:$PATH" "$tree/lacuna" "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
  [[ $code == "$expected" ]] || fail "lacuna $*: exit code $code, not $expected"
}

has_line() { grep -qF -e "$2" "$work/$1" || fail "std$1 lacks: $2"; }
lacks() { ! grep -qF -e "$2" "$work/$1" || fail "std$1 has: $2"; }
called() { grep -qF -e "$1" "$work/calls" || fail "not called: $1; but: $(<"$work/calls")"; }
not_called() { ! grep -qF -e "$1" "$work/calls" || fail "called: $1"; }

# kind_is EXPECTED: the kind of the parameter file on stdin; "" for none.
kind_is() {
  cat >"$work/kind.toml"
  if [[ $1 ]]; then
    LACUNA_DRY_RUN=1 lacuna 0 run "$work/kind.toml"
    has_line out "/build/release/experiments/$1 "
  else
    LACUNA_DRY_RUN=1 lacuna 2 run "$work/kind.toml"
    has_line err 'no `kind` in the table [experiment]'
  fi
}

# ---------------------------------------------------------------- tests

test_help_names_every_command() {
  lacuna 0 help
  local command
  for command in run report summarize compare test build doctor help; do has_line out "  $command"; done
  cp "$work/out" "$work/help"
  lacuna 0 --help
  cmp -s "$work/out" "$work/help" || fail "--help differs from help"
}

test_wrong_command_is_a_usage_error() {
  lacuna 2 tset
  has_line err "unknown command 'tset'; did you mean 'test'? the commands are: run, gamma, test, build, doctor, help"
  lacuna 2 gama x.h5
  has_line err "did you mean 'gamma'?"
  lacuna 2 frobnicate
  has_line err "unknown command 'frobnicate'; the commands are: run, gamma"
  lacuna 2 --hlep
  has_line err "unknown command '--hlep'; the commands are"
  lacuna 2
  has_line err "Usage: ./lacuna COMMAND"
  lacuna 2 build no_such_preset
  has_line err "release debug asan tsan cuda"
}

test_version_is_that_of_the_project() {
  printf 'project(lacuna VERSION 1.2.3 LANGUAGES C CXX\n' >"$tree/CMakeLists.txt"
  lacuna 0 --version
  [[ $(<"$work/out") == "lacuna 1.2.3" ]] || fail "a tree without a revision"
  cp "$source_root/CMakeLists.txt" "$tree/"
  stand_in git <<<'echo 0123abcd-dirty'
  mkdir "$tree/.git"
  lacuna 0 version
  grep -qE '^lacuna [0-9]+\.[0-9]+\.[0-9]+ \(revision 0123abcd-dirty\)$' "$work/out" || fail "no version and revision"
  not_called cmake
}

test_kind_is_read_from_the_experiment_table() {
  kind_is beta <<<$'[experiment]\nkind = "beta"'
  kind_is beta <<<$'schema = 1\n[source]\nkind = "trace" # alpha\n[ experiment ] # kind = "alpha"\nseed = 1\n  kind=\'beta\'   # alpha'
  kind_is beta <<<$'\xef\xbb\xbf[experiment]\r\nkind = "beta"\r\n[source]\r\nkind = "alpha"\r'
  kind_is beta <<<$'experiment.kind = "beta"\n[source]\nkind = "alpha"'
  kind_is beta <<<$'experiment = { seed = 1, kind = "beta" }\n[source]\nkind = "alpha"'
  kind_is beta <<<$'[experiment]\nlist = [\n  [1, 2],\n  3 ]\nkind = "beta"'
  kind_is "" <<<$'[source]\nkind = "alpha"\n[[path]]\nkind = "beta"'
  kind_is "" <<<$'[experiment]\n# kind = "beta"\nkinds = "alpha"'
  kind_is "" <<<$'[experiment]\nkind = 3'
  kind_is "" </dev/null
}

test_unknown_kind_lists_the_experiments() {
  local kind
  for kind in gamma '../alpha' 'al.ha' '-x' ''; do
    printf '[experiment]\nkind = "%s"\n' "$kind" >"$work/unknown.toml"
    lacuna 2 run "$work/unknown.toml"
    has_line err "  alpha"
    has_line err "  beta"
  done
  printf '[experiment]\nkind = "alhpa"\n' >"$work/unknown.toml"
  lacuna 2 run "$work/unknown.toml"
  has_line err 'experiment.kind = "alhpa" is not an experiment; did you mean '"'alpha'?"
  printf '[experiment]\nkind = "omega3"\n' >"$work/unknown.toml"
  lacuna 2 run "$work/unknown.toml"
  lacks err "did you mean"
  lacuna 2 run "$work/no_such_file.toml"
  has_line err "  quickstart.toml"
  not_called cmake
}

test_run_passes_file_flags_and_exit_code_to_the_experiment() {
  mkdir -p "$work/else where"
  cp "$tree/experiments/params/quickstart.toml" "$work/else where/my study.toml"
  cd "$work/else where"
  lacuna 7 run "my study.toml" -o "a b.h5" --set x=1
  has_line out "$work/else where"
  has_line out "<my study.toml><--report><-o><a b.h5><--set><x=1>"
  lacuna 7 run -o out.h5 "my study.toml" --quiet
  has_line out "<my study.toml><--report><-o><out.h5><--quiet>"
  lacuna 7 run --help
  has_line out "<$tree/experiments/params/quickstart.toml><--report><--help>"
  cd "$tree"
  lacuna 7 run
  has_line out "<experiments/params/quickstart.toml><--report>"
  called "--target alpha"
  ln -sf "$tree/lacuna" "$work/link"
  PATH="$bin:$PATH" "$work/link" run >"$work/out" 2>"$work/err" || [[ $? == 7 ]] || fail "through a symbolic link"
}

test_programs_of_analysis_are_commands() {
  lacuna 7 gamma "a b.h5" --force
  called "--target gamma_results"
  has_line out "<a b.h5><--force>"
  LACUNA_DRY_RUN=1 lacuna 0 gamma x.h5
  has_line out "+ $tree/build/release/analysis/gamma_results x.h5"
  lacuna 2 gamma_results x.h5
}

test_experiment_replaces_the_wrapper() {
  lacuna 7 run
  sed -i 's/^echo.*/echo "process $$"/' "$tree/build/release/experiments/alpha"
  stand_in cmake </dev/null
  PATH="$bin:$PATH" "$tree/lacuna" run >"$work/out" 2>"$work/err" &
  local wrapper=$!
  wait "$wrapper" || true
  has_line out "process $wrapper"
}

test_dry_run_only_prints() {
  LACUNA_DRY_RUN=1 lacuna 0 run -o out.h5
  has_line out "+ cmake -S $tree --preset release"
  has_line out "+ cmake --build $tree/build/release"
  LACUNA_DRY_RUN=1 LACUNA_SANITIZE_TESTS=1 lacuna 0 test
  has_line out "+ ctest --test-dir $tree/build/asan"
  not_called cmake
  [[ ! -e $tree/build ]] || fail "a build folder was made"
}

test_nothing_missing_leaves_apt_alone() {
  stand_in id <<<'echo 0'
  lacuna 7 run
  lacuna 0 test
  lacks err "apt-get"
}

test_any_installed_boost_is_accepted() {
  local boost
  for boost in libboost-dev libboost1.74-dev libboost1.81-dev; do
    stand_in dpkg-query <<END
for pattern in "\${@:3}"; do
  [[ \$pattern == libboost* ]] || printf '%s 1.0 hold ok installed\n' "\$pattern"
done
printf '%s 1.0 install ok installed\nlibboost1.74-tools-dev 1.0 deinstall ok config-files\n' $boost
END
    lacuna 7 run
  done
}

test_removed_package_with_files_left_is_missing() {
  stand_in dpkg-query <<<'for pattern in "${@:3}"; do printf "%s 1.0 deinstall ok config-files\n" "$pattern"; done'
  lacuna 4 run
  has_line err "libhdf5-dev"
}

test_without_root_or_sudo_the_command_is_printed() {
  installed_except libhdf5-dev libboost1.81-dev libgtest-dev
  lacuna 4 run
  has_line err "sudo apt-get install --no-install-recommends libhdf5-dev libboost1.81-dev"
  lacks err libgtest-dev
  lacuna 4 test
  has_line err "sudo apt-get install --no-install-recommends libhdf5-dev libboost1.81-dev libgtest-dev"
  lacks err "apt-get called"
  not_called cmake
}

test_missing_packages_are_installed_once_updated() {
  installed_except libfmt-dev
  stand_in apt-get <<<"echo \"apt-get \$DEBIAN_FRONTEND \$*\" >>'$work/calls'; >'$work/absent'"
  stand_in id <<<'echo 0'
  lacuna 7 run
  called "update"
  called "install -y --no-install-recommends libfmt-dev"
  called "apt-get noninteractive"
  has_line err "installing missing packages (1; "
  : >"$work/calls"
  installed_except libfmt-dev
  stand_in id <<<'echo 1000'
  stand_in sudo <<<"echo sudo >>'$work/calls'; [[ \$1 == -n ]] || exit 1; shift; exec \"\$@\""
  lacuna 7 run
  called sudo
  called "install -y --no-install-recommends libfmt-dev"
}

test_failed_installation_shows_the_log() {
  installed_except libfmt-dev
  stand_in apt-get <<<'echo "E: Unable to locate package"; exit 100'
  stand_in id <<<'echo 0'
  lacuna 4 run
  has_line err "E: Unable to locate package"
  has_line err "apt-get could not install: libfmt-dev"
  not_called cmake
}

test_skipped_check_looks_at_no_package() {
  stand_in dpkg-query <<<'echo called >&2; exit 99'
  LACUNA_SKIP_PACKAGES=1 lacuna 7 run
  lacks err called
  called "-DLACUNA_TESTS=OFF"
}

test_tests_join_the_build_when_they_can_and_stay() {
  installed_except libgtest-dev
  lacuna 7 run
  called "-DLACUNA_TESTS=OFF"
  installed_except
  lacuna 7 run
  called "-DLACUNA_TESTS=ON"
  : >"$work/calls"
  installed_except netcdf-bin
  lacuna 7 run
  called "-DLACUNA_TESTS=ON"
}

test_moved_tree_is_configured_afresh() {
  lacuna 7 run
  not_called --fresh
  sed -i 's|^CMAKE_HOME_DIRECTORY.*|CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere|' "$tree/build/release/CMakeCache.txt"
  lacuna 7 run
  called --fresh
}

test_build_reports_one_line_or_the_failure() {
  lacuna 7 run
  has_line err "lacuna: building alpha (2 steps)... done in "
  lacks err "1 steps"
  touch "$work/broken"
  lacuna 4 run
  has_line err "(2 steps)... failed"
  has_line err "b.cpp:1:2: error: no"
  lacks err "Building a.cpp"
  has_line err "the log is build/release/build.log"
}

test_long_build_off_a_terminal_says_how_far_it_is() {
  LACUNA_PROGRESS=0 lacuna 7 run
  has_line err "lacuna: building alpha (2 steps)..."
  has_line err "lacuna: building alpha (2 of 2 steps)... done in "
  lacks err "Re-running"
}

test_ctest_flags_and_exit_code_pass_through() {
  LACUNA_SANITIZE_TESTS=1 lacuna 0 test -L bounds
  called "ctest --test-dir $tree/build/release --output-on-failure --no-tests=error -j 3 -L bounds"
  not_called asan
  [[ $(tail -n 1 "$work/out") == "100% tests passed" ]] || fail "the summary is not the last line"
  touch "$work/tests_fail"
  lacuna 8 test
}

test_sanitized_tests_follow_those_that_pass() {
  lacuna 0 test
  not_called asan
  LACUNA_SANITIZE_TESTS=1 lacuna 0 test
  called "cmake -S $tree --preset asan -DLACUNA_TESTS=ON"
  called "--target test_kernels"
  called "ctest --test-dir $tree/build/asan"
  : >"$work/calls"
  touch "$work/tests_fail"
  LACUNA_SANITIZE_TESTS=1 lacuna 8 test
  not_called asan
}

test_jobs_follow_cores_and_memory() {
  LACUNA_JOBS=5 lacuna 7 run
  called "--parallel 5"
  stand_in awk <<<'if [[ $2 == /proc/meminfo ]]; then echo 3200000; else exec /usr/bin/awk "$@"; fi'
  lacuna 7 run
  called "--parallel 2"
  stand_in awk <<<'if [[ $2 == /proc/meminfo ]]; then echo 1000; else exec /usr/bin/awk "$@"; fi'
  lacuna 7 run
  called "--parallel 1"
}

test_ccache_gets_a_folder_where_home_cannot_be_written() {
  HOME=/nonexistent lacuna 7 run
  called "ccache $tree/build/.ccache"
  : >"$work/calls"
  HOME=$work lacuna 7 run
  not_called "ccache /"
}

test_doctor_exits_4_only_where_the_build_lacks_something() {
  stand_in c++ <<<'echo "c++ 12"'
  stand_in ninja <<<'echo 1.11'
  lacuna 0 doctor
  has_line out "c++ 12"
  has_line out "libhdf5-dev"
  installed_except libgtest-dev
  lacuna 0 doctor
  installed_except libhdf5-dev
  lacuna 4 doctor
  [[ $(<"$work/out") =~ libhdf5-dev\ +missing ]] || fail "libhdf5-dev is not reported missing"
  lacks err "apt-get called"
}

# ---------------------------------------------------------------- all of them

run_tests() {
  local name before
  for name; do
    before=$failures
    set_up
    cd "$tree"
    : >"$work/out"
    : >"$work/err"
    "$name"
    if [[ $failures == "$before" ]]; then printf 'ok      %s\n' "$name"; else printf 'FAILED  %s\n' "$name"; fi
  done
}

if (($# > 0)); then
  run_tests "$@"
else
  mapfile -t names < <(compgen -A function test_)
  run_tests "${names[@]}"
fi
cd /
if ((failures > 0)); then
  printf '%s checks failed\n' "$failures"
  exit 1
fi
