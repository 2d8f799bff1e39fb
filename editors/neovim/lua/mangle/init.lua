-- The server: its settings, and its start on any Neovim from 0.10 on.
local M = {}

--- What the server needs to be started; also what lsp/mangle_ls.lua gives to Neovim.
function M.config()
  return {
    cmd = { 'mangle-ls', 'serve' },
    filetypes = { 'mangle' },
    -- In this order: a program's own configuration counts before the repository's root.
    root_markers = { 'mangle-ls.toml', '.git' },
  }
end

--- Starts the server in every Mangle buffer.
--- @param options? table fields of vim.lsp.ClientConfig that differ, for example { cmd = { '/opt/mangle-ls', 'serve' } }
function M.setup(options)
  options = options or {}
  local config = vim.tbl_extend('force', M.config(), options)
  vim.api.nvim_create_autocmd('FileType', {
    group = vim.api.nvim_create_augroup('mangle', {}),
    pattern = config.filetypes,
    callback = function(event)
      M.advise(config.cmd)
      if not vim.lsp.config then M.start(event.buf, config) end
    end,
  })
  -- Its findings come while one types in it; other files of its type are none of ours.
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
    group = vim.api.nvim_create_augroup('mangle-settings', {}),
    pattern = 'mangle-ls.toml',
    callback = function(event) M.start(event.buf, config) end,
  })
  -- Captured replies of agents, under the names that count without settings.
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
    group = vim.api.nvim_create_augroup('mangle-transcripts', {}),
    pattern = { '*/transcripts/*', '*.piggyback.*' },
    callback = function(event) M.start(event.buf, config) end,
  })
  if vim.lsp.config then
    vim.lsp.config('mangle_ls', options)
    vim.lsp.enable('mangle_ls')
  end
end

--- Neovim 0.10, which has no vim.lsp.config: one client for each root.
function M.start(buffer, config)
  if vim.bo[buffer].buftype ~= '' or vim.fn.executable(config.cmd[1]) == 0 then return end
  local client = vim.tbl_extend('force', config, { name = 'mangle_ls', root_dir = vim.fs.root(buffer, config.root_markers) })
  client.filetypes, client.root_markers = nil, nil
  vim.lsp.start(client, { bufnr = buffer })
end

--- Says once what to do when there is no server.
function M.advise(cmd)
  if type(cmd) ~= 'table' or vim.fn.executable(cmd[1]) == 1 then return end
  local text = "'%s' is not a program that can be run. Put mangle-ls on PATH, or name it: require('mangle').setup({ cmd = { '/path/to/mangle-ls', 'serve' } })"
  vim.notify_once('mangle: ' .. text:format(cmd[1]), vim.log.levels.WARN)
end

return M
