-- `:checkhealth mangle`: the server, its version and what it sees; the parser and its ABI; what is attached here and which configuration holds.
local guard = require('mangle.guard')
local of = require('mangle.client')
local M = {}

local health = vim.health

local function neovim()
  if vim.fn.has('nvim-0.10') == 1 then
    health.ok('Neovim ' .. tostring(vim.version()))
  else
    health.error('this plugin requires Neovim 0.10 or newer')
  end
end

--- Whether the program can be started, and what it says of itself.
local function program()
  local cmd = require('mangle').command()
  if type(cmd) ~= 'table' then return health.info('the server is started by a function') end
  local path = vim.fn.exepath(cmd[1])
  if path == '' then
    return health.error(("'%s' is not an executable program"):format(cmd[1]), {
      'cargo install --path . in the repository puts mangle-ls on PATH',
      "or set its path: require('mangle').setup({ cmd = { '/path/to/mangle-ls', 'lsp' } })",
    })
  end
  local started, process = pcall(vim.system, { cmd[1], '--version' }, { text = true, timeout = 5000 })
  local said = started and process:wait() or { code = -1, stderr = process }
  if said.code ~= 0 then
    return health.error(("'%s --version' fails: %s"):format(path, vim.trim(said.stderr or '')), { 'Is this mangle-ls built for this machine? Build it again' })
  end
  local name, version = said.stdout:match('^(%S+)%s+(%S+)')
  local problem = guard.outdated({ name = name, version = version })
  if problem then return health.warn(('%s: %s'):format(path, problem)) end
  health.ok(('server: %s, version %s'):format(path, version))
end

local function parser()
  local files = vim.api.nvim_get_runtime_file('parser/mangle.*', false)
  if #files == 0 then
    return health.warn('no tree-sitter parser: only the server highlights', { ':Mangle parser builds and installs it; it requires a C compiler' })
  end
  local loaded, problem = pcall(function()
    -- 0.10 gives nothing and raises an error, newer ones give whether it went well.
    local added, reason = vim.treesitter.language.add('mangle')
    if added == nil and reason then error(reason, 0) end
    return vim.treesitter.query.get('mangle', 'highlights')
  end)
  if not loaded then
    return health.error(('the parser %s does not load: %s'):format(files[1], problem), { ':Mangle parser builds it again' })
  end
  if not problem then return health.error('the parser has no queries', { ':Mangle parser installs them' }) end
  local about = vim.treesitter.language.inspect('mangle')
  health.ok(('parser: %s, ABI %s'):format(files[1], about.abi_version or about._abi_version))
end

local function client_health(client)
  local buffers = vim.tbl_count(client.attached_buffers)
  health.ok(('client %d is attached to %d buffer(s), root: %s'):format(client.id, buffers, client.config.root_dir or 'none'))
  local status = of.ask_now(client, 'mangle/status', nil, 3000)
  if not status then
    return health.error('the server does not answer', { ":Mangle restart restarts it; ':Mangle log' may show the reason" })
  end
  health.info(('version %s, columns in %s'):format(status.version, status.positionEncoding))
  for _, made in ipairs(status.programs) do
    local from = type(made.configuration) == 'string' and made.configuration or 'no mangle-ls.toml: all settings have their defaults'
    health.info(('program %s: %d file(s), %s'):format(made.name, #made.files, from))
  end
  for _, document in ipairs(status.documents) do
    if document.suspect then health.warn(('an edit of %s was lost'):format(document.uri), { 'save it and open it again' }) end
  end
end

--- What :checkhealth calls.
function M.check()
  health.start('mangle')
  neovim()
  program()
  parser()
  local clients = vim.lsp.get_clients({ name = of.NAME })
  if #clients == 0 then health.warn('no server runs', { "open a .mg file; does your init.lua call require('mangle').setup()?" }) end
  vim.iter(clients):each(client_health)
end

return M
