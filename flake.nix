# Nix flake: `nix run . -- check` builds the program from source.
{
  description = "Linter, test runner and language server for Mangle policies and LLM agent logs";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      lib = nixpkgs.lib;
      manifest = lib.importTOML ./Cargo.toml;
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      forEachSystem = build: lib.genAttrs systems (system: build nixpkgs.legacyPackages.${system});
      package =
        pkgs:
        pkgs.rustPlatform.buildRustPackage {
          pname = "mangle-ls";
          version = manifest.workspace.package.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [
            "--bin"
            "mangle-ls"
          ];
          # The tests need editors and recordings; they run before a release.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = lib.optionalString (pkgs.stdenv.buildPlatform.canExecute pkgs.stdenv.hostPlatform) ''
            for shell in bash fish zsh; do
              "$out/bin/mangle-ls" generate completions "$shell" > "mangle-ls.$shell"
            done
            installShellCompletion mangle-ls.bash mangle-ls.fish mangle-ls.zsh
            "$out/bin/mangle-ls" generate man man
            installManPage man/*.1
          '';
          meta = {
            description = manifest.package.description;
            license = lib.licenses.mit;
            mainProgram = "mangle-ls";
          };
        };
    in
    {
      packages = forEachSystem (pkgs: {
        default = package pkgs;
      });
      formatter = forEachSystem (pkgs: pkgs.nixfmt);
    };
}
