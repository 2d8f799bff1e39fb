-- What lenses and actions do that the server alone could only show in a message: the answer to a question in a buffer, a command line or a
-- message for a model in a register. And `:Mangle query`.
local of = require('mangle.client')
local panel = require('mangle.panel')
local M = {}

--- The lines that show an answer of mangle/query: facts, with what is known of them in comments.
local function written(answer)
  local whose = answer.reading == 'engine' and 'the engine' or 'as written'
  local with = type(answer.sample) == 'string' and (', with ' .. answer.sample) or ''
  local lines = { ('# %d %s, %s%s'):format(#answer.facts, #answer.facts == 1 and 'fact' or 'facts', whose, with) }
  for _, note in ipairs(answer.lost) do table.insert(lines, '# ' .. note) end
  if type(answer.stopped) == 'string' then table.insert(lines, '# ' .. answer.stopped) end
  for _, fact in ipairs(answer.facts) do table.insert(lines, fact .. ' .') end
  return lines
end

--- Asks a question and shows the answers.
local function ask(client, question)
  of.ask(client, 'mangle/query', question, function(answers)
    local lines = {}
    for at, answer in ipairs(answers) do
      if at > 1 then table.insert(lines, '') end
      vim.list_extend(lines, written(answer))
    end
    if #lines == 0 then lines = { '# no program contains this file' } end
    panel.show('query', client, vim.split(table.concat(lines, '\n'), '\n'), { filetype = 'mangle' })
  end)
end

--- Into the unnamed register, and the clipboard where there is one.
local function yank(text, what)
  vim.fn.setreg('"', text)
  if vim.fn.has('clipboard') == 1 then pcall(vim.fn.setreg, '+', text) end
  of.say('yanked ' .. what)
end

local function client_by(context) return assert(vim.lsp.get_client_by_id(context.client_id)) end

--- The command `mangle.query`.
function M.query(command, context) ask(client_by(context), command.arguments[1]) end

--- The command `mangle.copyRepair`.
function M.repair(command, context)
  of.ask(client_by(context), 'mangle/repair', command.arguments[1], function(answer)
    if type(answer.message) ~= 'string' then return of.say('there are no invalid replies') end
    yank(answer.message, 'the retry prompt')
  end)
end

--- The command `mangle.copyQuery`.
function M.copy(command) yank(command.arguments[1], command.arguments[1]) end

--- `:Mangle query [ATOM]`; without one, all facts of the predicate under the cursor.
function M.show(atom)
  local client = of.wanted(0)
  if not client then return end
  if atom == '' then atom = vim.fn.expand('<cword>') end
  -- A name alone asks for all facts of that predicate, whatever its arity.
  if atom:match('^[%w_:.]+$') then
    local found = vim.tbl_filter(function(predicate) return predicate.name == atom end, M.predicates(client, 0))
    if found[1] then atom = ('%s(%s)'):format(atom, table.concat(vim.fn['repeat']({ '_' }, found[1].arity), ', ')) end
  end
  ask(client, { uri = vim.uri_from_bufnr(0), atom = atom })
end

--- The predicates of the programs of a buffer: { name, arity, … }. Waits a second at most.
function M.predicates(client, buffer)
  local graph = of.ask_now(client, 'mangle/graph', { uri = vim.uri_from_bufnr(buffer) }, 1000)
  local found = {}
  for _, program in ipairs(graph and graph.programs or {}) do vim.list_extend(found, program.predicates) end
  return found
end

return M
