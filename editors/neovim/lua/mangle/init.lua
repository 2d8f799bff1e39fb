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

--- The files besides Mangle that it looks at: its settings, whose findings come while one types in them, and captured replies of
--- agents, under the names that count without settings.
M.others = { 'mangle-ls.toml', '*/transcripts/*', '*.piggyback.*' }

--- The file types that these have. Other files of such a type are none of ours.
local types = { 'toml', 'json', 'jsonc', 'jsonl', 'markdown', 'text', 'log' }

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
  return config
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
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
    group = vim.api.nvim_create_augroup('mangle-others', {}),
    pattern = M.others,
    callback = function(event)
      -- Neovim 0.11 does it itself, except for files of no type at all.
      if not vim.lsp.config or vim.filetype.match({ buf = event.buf }) == nil then M.start(event.buf, config) end
    end,
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
