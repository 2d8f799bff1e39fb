---@brief
---
--- {{repository}}
---
--- `mangle-ls` is a linter, test runner and language server for Mangle, a Datalog language for policies.
---
--- Settings are in the file `mangle-ls.toml` of your project.

---@type vim.lsp.Config
return {
  cmd = { 'mangle-ls', 'lsp' },
  filetypes = { 'mangle' },
  root_markers = { 'mangle-ls.toml', '.git' },
}
