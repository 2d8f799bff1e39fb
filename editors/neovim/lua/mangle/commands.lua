-- `:Mangle WORD [ARGUMENT]`: what can be asked for by hand, and its completion. One table; :help mangle-commands describes it.
local of = require('mangle.client')
local M = {}

--- Those of the words that go with what was typed.
local function starting(words, typed)
  return vim.tbl_filter(function(word) return vim.startswith(word, typed) end, words)
end

--- Names of predicates, made by `form`, each once.
local function predicates(form)
  local client, seen, names = of.of(0), {}, {}
  for _, predicate in ipairs(client and require('mangle.query').predicates(client, 0) or {}) do
    local name = form(predicate)
    if not seen[name] then table.insert(names, name) end
    seen[name] = true
  end
  return names
end

--- What each word does with its argument, and what can be its argument.
M.words = {
  channels = { run = function() require('mangle.documents').open_of('mangle-split', vim.api.nvim_get_current_buf()) end },
  conversation = {
    run = function(argument) require('mangle.conversation').show(argument) end,
    complete = function(typed) return vim.fn.getcompletion(typed, 'file') end,
  },
  graph = {
    run = function(argument) require('mangle.graph').show(argument) end,
    complete = function() return predicates(function(predicate) return predicate.id end) end,
  },
  log = { run = function() require('mangle.guard').log() end },
  parser = {
    run = function(argument)
      local done, problem = pcall(require('mangle.parser').install, argument ~= '' and argument or nil)
      if not done then of.say(problem, vim.log.levels.ERROR) end
    end,
    complete = function(typed) return vim.fn.getcompletion(typed, 'dir') end,
  },
  preview = {
    run = function(argument) require('mangle.previews').show(argument) end,
    complete = function() return of.named(0, 'preview') end,
  },
  query = {
    run = function(argument) require('mangle.query').show(argument) end,
    complete = function() return predicates(function(predicate) return predicate.arity > 0 and predicate.name .. '(' or predicate.name .. '()' end) end,
  },
  replay = { run = function(argument) require('mangle.replay').show(argument) end, complete = function() return { 'here' } end },
  restart = { run = function() require('mangle.guard').restart() end },
  schema = {
    run = function(argument) require('mangle.schema').show(argument) end,
    complete = function() return require('mangle.schema').targets() end,
  },
  state = { run = function(argument) require('mangle.replay').state(argument) end },
  stop = { run = function() require('mangle.guard').stop() end },
  syntax = { run = function() require('mangle.documents').open_of('mangle-syntax', vim.api.nvim_get_current_buf()) end },
  test = {
    run = function(argument) require('mangle.tests').show(argument) end,
    complete = function() return of.named(0, 'test') end,
  },
  verify = {
    run = function(argument) require('mangle.property').show(argument) end,
    complete = function() return require('mangle.property').names() end,
  },
}

--- Runs the command.
function M.run(command)
  local word, argument = command.args:match('^(%S+)%s*(.-)%s*$')
  local known = M.words[word]
  if known then return known.run(argument) end
  of.say(("unknown command ':Mangle %s'; known commands: %s"):format(word, table.concat(M.complete('', 'Mangle '), ', ')), vim.log.levels.ERROR)
end

--- Completes the word, or its argument, which may have blanks in it.
function M.complete(typed, line)
  local word, argument = line:match('Mangle%s+(%S+)%s+(.*)$')
  if not word then
    local words = vim.tbl_keys(M.words)
    table.sort(words)
    return starting(words, typed)
  end
  local known = M.words[word]
  if not known or not known.complete then return {} end
  -- Vim replaces the last of the blank-separated words only.
  local before = argument:sub(1, #argument - #typed)
  return vim.tbl_map(function(found) return found:sub(#before + 1) end, starting(known.complete(argument), argument))
end

return M
