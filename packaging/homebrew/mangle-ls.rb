# Homebrew formula that installs the program of a release.
class MangleLs < Formula
  desc "{{description}}"
  homepage "{{repository}}"
  version "{{version}}"
  license "{{license}}"

  on_macos do
    on_arm do
      url "{{url:aarch64-apple-darwin}}"
      sha256 "{{sha256:aarch64-apple-darwin}}"
    end
    on_intel do
      url "{{url:x86_64-apple-darwin}}"
      sha256 "{{sha256:x86_64-apple-darwin}}"
    end
  end

  on_linux do
    on_arm do
      url "{{url:aarch64-unknown-linux-gnu}}"
      sha256 "{{sha256:aarch64-unknown-linux-gnu}}"
    end
    on_intel do
      url "{{url:x86_64-unknown-linux-gnu}}"
      sha256 "{{sha256:x86_64-unknown-linux-gnu}}"
    end
  end

  def install
    bin.install "mangle-ls"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/mangle-ls.bash" => "mangle-ls"
    fish_completion.install "completions/mangle-ls.fish"
    zsh_completion.install "completions/_mangle-ls"
  end

  test do
    (testpath/"policy.mg").write "p(X) :- q(X), !r(X, _).\nq(1).\nr(1, 2).\n"
    assert_match "negation-wildcard", shell_output("#{bin}/mangle-ls check policy.mg", 1)
  end
end
