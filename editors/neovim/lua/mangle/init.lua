-- The server: its settings, and its start on any Neovim from 0.10 on.
local guard = require('mangle.guard')
local of = require('mangle.client')
local refresh = require('mangle.refresh')
local M = {}

--- What the server needs to be started; also what lsp/mangle_ls.lua gives to Neovim.
function M.config()
  return {
    cmd = { 'mangle-ls', 'lsp' },
    filetypes = { 'mangle' },
    -- In this order: a program's own configuration counts before the repository's root.
    root_markers = { 'mangle-ls.toml', '.git' },
    capabilities = refresh.capabilities(),
  }
end

--- The files besides Mangle that it looks at: its settings, whose findings come while one types in them, and captured replies of
--- agents, under the names that count without settings; session files and prompt atoms.
M.others =
  { 'mangle-ls.toml', '*/transcripts/*', '*.piggyback.*', '*.session.yaml', '*.session.yml', '*.session.json', '*/atoms/*.yaml' }

--- The file types that these have. Other files of such a type are none of ours.
local types = { 'toml', 'yaml', 'json', 'jsonc', 'jsonl', 'markdown', 'text', 'log' }

--- Whether a buffer has one of the other files.
local function is_other(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  local fits = function(glob) return vim.glob.to_lpeg('**/' .. glob:gsub('^%*/', '**/')):match(name) ~= nil end
  return vim.iter(M.others):any(fits)
end

--- What lsp/mangle_ls.lua gives to Neovim 0.11 and newer, which detaches a client from buffers of types that it does not list.
function M.listed()
  local config = M.config()
  local markers = config.root_markers
  config.filetypes = vim.list_extend({ 'mangle' }, types)
  config.root_dir = function(buffer, found)
    if vim.bo[buffer].filetype == 'mangle' or is_other(buffer) then found(vim.fs.root(buffer, markers)) end
  end
  config.root_markers = nil
  return guard.guard(config)
end

--- What `setup` was called with.
local chosen = {}

--- The configuration as it holds now, also where only Neovim's own functions were used.
local function current()
  local options = vim.tbl_isempty(chosen) and vim.lsp.config and { cmd = vim.lsp.config.mangle_ls.cmd, settings = vim.lsp.config.mangle_ls.settings } or chosen
  return guard.guard(vim.tbl_extend('force', M.config(), options))
end

--- The program that is, or would be, started: its command, as a list or a function.
function M.command() return current().cmd end

--- Starts the server in every Mangle buffer.
--- @param options? table fields of vim.lsp.ClientConfig that differ, for example { cmd = { '/opt/mangle-ls', 'lsp' } }
function M.setup(options)
  chosen = vim.tbl_extend('force', options or {}, { capabilities = refresh.capabilities(options and options.capabilities) })
  local config = current()
  vim.api.nvim_create_autocmd('FileType', {
    group = vim.api.nvim_create_augroup('mangle', {}),
    pattern = config.filetypes,
    callback = function(event)
      guard.advise(config.cmd)
      if not vim.lsp.config then M.start(event.buf, config) end
    end,
  })
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
    group = vim.api.nvim_create_augroup('mangle-others', {}),
    pattern = M.others,
    callback = function(event)
      -- Neovim 0.11 does it itself, except for files of no type at all.
      if not vim.lsp.config or vim.filetype.match({ buf = event.buf }) == nil then M.start(event.buf, config) end
    end,
  })
  if vim.lsp.config then
    vim.lsp.config('mangle_ls', guard.guard(chosen))
    vim.lsp.enable('mangle_ls')
  end
end

--- Starts a client for the root of a buffer, unless there is one. Neovim 0.10 has no vim.lsp.config that would do it.
function M.start(buffer, config)
  if vim.bo[buffer].buftype ~= '' or (type(config.cmd) == 'table' and vim.fn.executable(config.cmd[1]) == 0) then return end
  local client = vim.tbl_extend('force', config, { name = of.NAME, root_dir = vim.fs.root(buffer, config.root_markers) })
  client.filetypes, client.root_markers = nil, nil
  vim.lsp.start(client, { bufnr = buffer })
end

--- Starts clients for all open files that are ours.
function M.start_all()
  local config = current()
  guard.advise(config.cmd)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and (vim.bo[buffer].filetype == 'mangle' or is_other(buffer)) then M.start(buffer, config) end
  end
end

return M
