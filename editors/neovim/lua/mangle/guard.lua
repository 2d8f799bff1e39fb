-- A server that is missing, another version, crashes or hangs: it is said, with how to mend it. One that crashed is started again, a few times.
local of = require('mangle.client')
local M = {}

--- The oldest server that has all that this plugin asks for.
M.OLDEST = '0.1.0'

--- Milliseconds: until a server has to be there, until it has to answer, between two looks while one types; and how often in which time a
--- crashed one is started again.
M.limits = { start = 10000, answer = 10000, pause = 5000, restarts = 3, window = 180000 }

local ERROR, WARN = vim.log.levels.ERROR, vim.log.levels.WARN

--- The running clients that are guarded, by id: { config, buffers, ended }; starts of servers that have not answered yet, by their configuration;
--- and the times of crashes by root.
local guarded, starting, crashes = {}, {}, {}

local function program(config) return type(config.cmd) == 'table' and config.cmd[1] or 'the server' end

--- Says once what to do when there is no server.
function M.advise(cmd)
  if type(cmd) ~= 'table' or vim.fn.executable(cmd[1]) == 1 then return end
  local text = "'%s' is not an executable program. Put mangle-ls on PATH, or set its path: require('mangle').setup({ cmd = { '/path/to/mangle-ls', 'lsp' } })"
  vim.notify_once('mangle: ' .. text:format(cmd[1]), WARN)
end

--- What is wrong with a server of this version, or nothing.
function M.outdated(info)
  local version = info and info.name == 'mangle-ls' and info.version
  if not version then return 'the started program is not mangle-ls' end
  local parsed, oldest = vim.version.parse(version), vim.version.parse(M.OLDEST)
  if parsed and vim.version.lt(parsed, oldest) then
    return ('the server is version %s, and this plugin requires %s or newer: update it with cargo install'):format(version, M.OLDEST)
  end
end

--- Attaches a server, started anew, to the buffers that another one had. It is one that runs already if a file was opened meanwhile.
local function start_again(config, buffers)
  local function is_ours(client)
    return client.name == config.name and client.config.root_dir == config.root_dir and not of.call(client, 'is_stopped')
  end
  for buffer in pairs(buffers) do
    if vim.api.nvim_buf_is_loaded(buffer) then vim.lsp.start(config, { bufnr = buffer, reuse_client = is_ours }) end
  end
end

--- After a crash: again, unless that was too often of late.
local function crashed(known, what)
  local root, now = known.config.root_dir or '', vim.uv.now()
  local recent = vim.tbl_filter(function(time) return now - time < M.limits.window end, crashes[root] or {})
  table.insert(recent, now)
  crashes[root] = recent
  if #recent > M.limits.restarts then
    local text = "the server crashed %d times (%s) and is not restarted. Your text is safe. ':Mangle log' may show the reason, ':Mangle restart' starts it again"
    return of.say(text:format(#recent, what), ERROR)
  end
  of.say(("the server crashed (%s) and is restarted (%d of %d). ':Mangle log' may show the reason"):format(what, #recent, M.limits.restarts), WARN)
  vim.defer_fn(function() start_again(known.config, known.buffers) end, 200 * #recent)
end

local function ended(code, signal, id)
  local known = guarded[id]
  guarded[id] = nil
  -- Ended by us, by Neovim or by the person, who all ask first or send SIGTERM.
  if (code == 0 and signal == 0) or signal == 15 or vim.v.exiting ~= vim.NIL or (known and known.ended) then return end
  -- Which one it was is not told; what ended says nothing any more.
  starting = {}
  local what = signal ~= 0 and ('signal %d'):format(signal) or ('exit status %d'):format(code)
  if known then return crashed(known, what) end
  of.say(("the server ended at once (%s). Does 'mangle-ls --version' work in a terminal? ':Mangle log' may show the reason"):format(what), ERROR)
end

--- Looks whether a server still answers; called while one types, sends one question at a time.
local function look(client)
  local known = guarded[client.id]
  if not known or known.asked or vim.uv.now() - (known.looked or 0) < M.limits.pause then return end
  known.asked, known.looked = true, vim.uv.now()
  of.call(client, 'request', 'mangle/status', nil, function()
    known.asked = false
    if known.silent then of.say('the server answers again') end
    known.silent = false
  end)
  vim.defer_fn(function()
    if not known.asked or guarded[client.id] ~= known then return end
    known.silent = true
    local text = "the server has not answered for %d s. ':Mangle restart' restarts it; your text is safe"
    of.say(text:format(M.limits.answer / 1000), WARN)
  end, M.limits.answer)
end

local function attached(event)
  local client = vim.lsp.get_client_by_id(event.data.client_id)
  local known = client and guarded[client.id]
  if not known then return end
  known.buffers[event.buf] = true
  local group = vim.api.nvim_create_augroup('mangle-look', { clear = false })
  vim.api.nvim_clear_autocmds({ group = group, buffer = event.buf })
  vim.api.nvim_create_autocmd({ 'TextChanged', 'InsertLeave', 'TextChangedI' }, {
    group = group,
    buffer = event.buf,
    callback = function() look(client) end,
  })
end

local function starts(_, config)
  starting[config] = true
  vim.defer_fn(function()
    if not starting[config] then return end
    starting[config] = nil
    local text = "%s was started %d s ago and has not answered yet. Is it mangle-ls, with the argument 'lsp'? ':Mangle restart' starts it again"
    of.say(text:format(program(config), M.limits.start / 1000), WARN)
  end, M.limits.start)
end

local function started(client, result)
  starting[client.config] = nil
  guarded[client.id] = { config = client.config, buffers = {} }
  local problem = M.outdated(result and result.serverInfo)
  if problem then of.say(problem, WARN) end
  vim.schedule(function() require('mangle.documents').refresh(client) end)
end

--- What the two functions do, one after the other.
local function both(first, second)
  if not second then return first end
  return function(...)
    first(...)
    return second(...)
  end
end

--- A configuration whose servers are guarded; what it wants to be called at these times still is.
function M.guard(config)
  vim.api.nvim_create_autocmd('LspAttach', { group = vim.api.nvim_create_augroup('mangle-guard', {}), callback = attached })
  return vim.tbl_extend('force', config, {
    before_init = both(starts, config.before_init),
    on_init = both(started, config.on_init),
    on_exit = both(ended, config.on_exit),
  })
end

--- Ends all servers; gives what they were attached to.
function M.stop()
  local stopped = {}
  -- Those that have not answered yet, too.
  for _, client in ipairs(vim.lsp.get_clients({ name = of.NAME, _uninitialized = true })) do
    local known = guarded[client.id] or { config = client.config, buffers = {} }
    for buffer in pairs(client.attached_buffers) do known.buffers[buffer] = true end
    known.ended = true
    table.insert(stopped, known)
    of.call(client, 'stop', true)
  end
  crashes = {}
  return stopped
end

--- Ends all servers and starts them again, also when none is running.
function M.restart()
  local stopped = M.stop()
  if #stopped == 0 then return require('mangle').start_all() end
  -- Their ends are told a moment later.
  vim.defer_fn(function()
    for _, known in ipairs(stopped) do start_again(known.config, known.buffers) end
  end, 300)
end

--- Opens the log of Neovim's client, in which what the server writes on its standard error is, too.
function M.log() vim.cmd.tabedit(vim.fn.fnameescape(vim.lsp.log.get_filename and vim.lsp.log.get_filename() or vim.lsp.get_log_path())) end

return M
