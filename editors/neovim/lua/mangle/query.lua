-- What lenses and actions do that the server alone could only show in a message: the answer to a question in a buffer, a command line or a
-- message for a model in a register.
local M = {}

--- The lines that show an answer of mangle/query: facts, with what is known of them in comments.
local function written(answer)
  local whose = answer.reading == 'go' and 'the engine' or 'as written'
  local with = type(answer.sample) == 'string' and (', with ' .. answer.sample) or ''
  local lines = { ('# %d %s, %s%s'):format(#answer.facts, #answer.facts == 1 and 'fact' or 'facts', whose, with) }
  for _, note in ipairs(answer.lost) do table.insert(lines, '# ' .. note) end
  if type(answer.stopped) == 'string' then table.insert(lines, '# ' .. answer.stopped) end
  for _, fact in ipairs(answer.facts) do table.insert(lines, fact .. ' .') end
  return lines
end

--- Shows answers in a window of their own; nothing there can be saved by accident.
local function show(answers)
  local lines = {}
  for at, answer in ipairs(answers) do
    if at > 1 then table.insert(lines, '') end
    vim.list_extend(lines, written(answer))
  end
  vim.cmd('botright new')
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].buftype, vim.bo[buffer].bufhidden, vim.bo[buffer].swapfile = 'nofile', 'wipe', false
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(table.concat(lines, '\n'), '\n'))
  vim.bo[buffer].modifiable, vim.bo[buffer].filetype = false, 'mangle'
end

--- Asks the server that a command came from; `take` gets the answer.
local function ask(method, command, context, take)
  local client = assert(vim.lsp.get_client_by_id(context.client_id))
  local handler = function(problem, answer)
    if problem then return vim.notify('mangle: ' .. problem.message, vim.log.levels.ERROR) end
    take(answer)
  end
  -- Before 0.11 the methods of a client are plain functions.
  local request = vim.fn.has('nvim-0.11') == 1 and function(...) return client:request(...) end or client.request
  request(method, command.arguments[1], handler, context.bufnr)
end

--- Into the unnamed register, and the clipboard where there is one.
local function yank(text, what)
  vim.fn.setreg('"', text)
  pcall(vim.fn.setreg, '+', text)
  vim.notify('mangle: yanked ' .. what)
end

--- The command `mangle.query`.
function M.query(command, context) ask('mangle/query', command, context, show) end

--- The command `mangle.copyRepair`.
function M.repair(command, context)
  ask('mangle/repair', command, context, function(answer)
    if type(answer.message) ~= 'string' then return vim.notify('mangle: there is nothing to repair') end
    yank(answer.message, 'the message for the model')
  end)
end

--- The command `mangle.copyQuery`.
function M.copy(command) yank(command.arguments[1], command.arguments[1]) end

return M
