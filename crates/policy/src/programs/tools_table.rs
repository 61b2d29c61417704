/// A tool of a project: what its subcommands are, and which options lead elsewhere.
#[derive(Debug)]
pub struct Tool {
    names: &'static str,
    /// Subcommands that build, test, lint or format; `*` for whatever comes, `-` for none at all.
    pub project: &'static str,
    pub reads: &'static str,
    pub installs: &'static str,
    pub publishes: &'static str,
    /// Subcommands that run a script of the project by name.
    pub scripts: &'static str,
    /// Subcommands that run a program.
    pub wraps: &'static str,
    /// Options that name code.
    pub runs: &'static str,
    /// Options with the path of what is run.
    pub folders: &'static str,
    /// Options with a path that is written.
    pub writes: &'static str,
    /// Whether long options begin with one dash.
    pub single: bool,
}

const fn tool(names: &'static str) -> Tool {
    Tool {
        names,
        project: "*",
        reads: "",
        installs: "",
        publishes: "",
        scripts: "",
        wraps: "",
        runs: "",
        folders: "",
        writes: "",
        single: false,
    }
}

const TOOLS: &[Tool] = &[
    Tool {
        project: "build b check c test t clippy fmt doc d bench run r nextest fix clean miri llvm-cov expand hack",
        reads: "tree metadata version locate-project pkgid verify-project read-manifest search help info",
        installs: "install add update remove fetch vendor generate-lockfile uninstall upgrade binstall",
        publishes: "publish login logout owner yank",
        runs: "--config -Z",
        folders: "--manifest-path",
        writes: "--target-dir --out-dir --artifact-dir",
        ..tool("cargo")
    },
    Tool {
        project: "test t tst start stop build lint",
        reads: "ls list ll outdated view info show explain why root prefix bin help version-check audit fund doctor ping whoami",
        installs: "install i ci add update up upgrade uninstall remove rm un link dedupe prune rebuild init create install-test it import",
        publishes: "publish unpublish version login logout adduser dist-tag deprecate owner access team token profile org hook star",
        scripts: "run run-script",
        wraps: "exec dlx x",
        runs: "--script-shell --node-options --shell --userconfig --globalconfig",
        folders: "--prefix -C --dir --cwd",
        ..tool("npm pnpm yarn bun")
    },
    Tool {
        project: "-",
        wraps: "*",
        runs: "-c --call --package -p",
        ..tool("npx bunx pnpx uvx pipx")
    },
    Tool {
        project: "-",
        reads: "list show tree",
        installs: "sync add remove install lock pip tool venv init update",
        publishes: "publish",
        wraps: "run",
        folders: "--directory --project -C",
        ..tool("uv poetry pipenv pdm rye hatch")
    },
    Tool {
        project: "test vet build fmt run generate list",
        reads: "env version doc help",
        installs: "get install mod work clean",
        runs: "-exec -toolexec -overlay -modfile -C",
        writes: "-o -coverprofile -cpuprofile -memprofile -trace -outputdir",
        single: true,
        ..tool("go")
    },
    Tool {
        project: "-",
        reads: "list show freeze check --version",
        installs: "install uninstall download wheel",
        publishes: "",
        ..tool("pip pip3 conda mamba gem composer")
    },
    Tool {
        project: "-",
        installs: "*",
        ..tool(
            "apt apt-get aptitude brew dnf yum pacman apk zypper snap port nix nix-env choco winget rustup corepack nvm pyenv rbenv asdf mise volta",
        )
    },
    Tool {
        project: "-",
        publishes: "*",
        ..tool("twine semantic-release lerna changeset goreleaser cargo-release np")
    },
    Tool {
        runs: "-p -c --confcutdir -o --override-ini --rootdir --pythonwarnings -W",
        writes: "--junitxml --junit-xml --basetemp --log-file --result-log",
        ..tool("pytest py.test")
    },
    Tool {
        runs: "--rulesdir --resolve-plugins-relative-to --plugin",
        folders: "-c --config",
        writes: "-o --output-file --cache-location --cache-file",
        ..tool("eslint stylelint prettier oxlint biome")
    },
    Tool {
        folders: "-c --config -p --project --root -C -b",
        writes: "--outDir --outFile --out-dir --outdir --out-file --outfile",
        ..tool(
            "tsc jest vitest mocha ava tap webpack rollup vite esbuild swc tsup next nuxt astro svelte-check vue-tsc \
            playwright cypress karma c8 nyc standard rome turbo nx babel postcss tailwindcss sass parcel storybook knip depcheck",
        )
    },
    Tool {
        writes: "-o --output --output-file",
        folders: "--config --config-file",
        ..tool(
            "ruff mypy black flake8 pylint isort pyright bandit pyflakes autopep8 yapf tox nox coverage pydocstyle vulture",
        )
    },
    Tool {
        folders: "-f --file",
        project: "compile test verify package validate clean install test-compile integration-test",
        publishes: "deploy",
        runs: "-s --settings -gs -t",
        ..tool("mvn mvnw")
    },
    Tool {
        publishes: "publish publishToMavenLocal uploadArchives",
        folders: "-p --project-dir -b --build-file",
        runs: "-I --init-script -g",
        ..tool("gradle gradlew")
    },
    Tool {
        project: "build test run format clean restore",
        installs: "add tool new workload",
        publishes: "nuget publish",
        ..tool("dotnet")
    },
    Tool {
        project: "check",
        installs: "install add update remove",
        wraps: "exec",
        ..tool("bundle")
    },
    Tool {
        publishes: "release deploy db:drop db:reset db:migrate db:seed",
        folders: "-f -C --rakefile --directory",
        runs: "-r -e -E -p --execute --require",
        ..tool("rake rails")
    },
    Tool { ..tool("rspec rubocop minitest standardrb phpunit phpstan pest") },
    Tool {
        project: "test compile format credo dialyzer phx.routes clean",
        installs: "deps.get deps.update local.hex archive.install",
        publishes: "hex.publish ecto.drop ecto.reset",
        runs: "-e --eval -r",
        ..tool("mix")
    },
    Tool {
        folders: "-C -f --directory --file --makefile -I --include-dir",
        publishes: "deploy publish release install uninstall push upload",
        runs: "--eval -E",
        ..tool("make gmake just task ninja bmake")
    },
    Tool {
        folders: "-S --build --test-dir --install -P -C",
        writes: "-B --prefix",
        runs: "-E --script",
        ..tool("cmake ctest meson bazel scons waf xmake")
    },
    Tool {
        writes: "-o --output",
        runs: "-B -fplugin -wrapper -specs -fuse-ld -plugin",
        single: true,
        ..tool("gcc g++ cc c++ clang clang++ cpp")
    },
    Tool {
        writes: "-o --out-dir",
        runs: "-C --codegen",
        ..tool("rustc javac kotlinc scalac ghc swiftc zig nasm ld ar as tinygo")
    },
    Tool {
        folders: "--config",
        ..tool(
            "shellcheck shfmt hadolint yamllint markdownlint markdownlint-cli2 actionlint typos codespell cspell golangci-lint \
        gofmt goimports rustfmt clang-format clang-tidy cppcheck swiftlint ktlint taplo buf protolint sqlfluff staticcheck vale prettierd editorconfig-checker",
        )
    },
];

/// The tool of that name.
pub fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| has(tool.names, name))
}

/// Whether a list of words, parted by blanks, has a word.
pub fn has(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|known| known == word || known == "*")
}
