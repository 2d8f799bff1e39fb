-- `:Mangle test` and the lens above a case: policy tests, failures in the quickfix list, and with their proofs in a window.
local of = require('mangle.client')
local panel = require('mangle.panel')
local M = {}

--- A path of an answer, which counts from the folder of its program: at or above that of the file that was asked about.
local function path_of(file, asked)
  for folder in vim.fs.parents(asked) do
    local path = vim.fs.joinpath(folder, file)
    if vim.uv.fs_stat(path) then return path end
  end
  return file
end

--- What failed, as quickfix items and as lines.
local function failures(answer, asked)
  local items, lines, places = {}, {}, {}
  local function add(path, number, text, explanation)
    table.insert(items, { filename = path, lnum = number, type = 'E', text = text })
    local at = { line = number - 1, character = 0 }
    table.insert(lines, ('%s:%d  %s'):format(vim.fs.basename(path), number, text))
    places[#lines] = { uri = vim.uri_from_fname(path), range = { start = at, ['end'] = at } }
    for line in (explanation or ''):gmatch('[^\n]+') do table.insert(lines, '    ' .. line) end
  end
  for _, suite in ipairs(answer.suites) do
    local path = path_of(suite.file, asked)
    for _, case in ipairs(suite.cases) do
      if type(case.message) == 'string' then add(path, case.line, ('%s: %s'):format(case.name, case.message)) end
      for _, failure in ipairs(case.failures) do
        add(path, failure.line, ('%s: %s'):format(case.name, failure.message), failure.explanation)
      end
    end
  end
  return items, lines, places
end

local function run(client, wanted)
  of.ask(client, 'mangle/test', wanted, function(answer)
    local summary = answer.summary
    local items, lines, places = failures(answer, wanted.uri and vim.uri_to_fname(wanted.uri) or vim.fs.joinpath(vim.uv.cwd(), 'x'))
    vim.fn.setqflist({}, ' ', { title = 'Mangle tests', items = items })
    local counts = ('%d passed, %d failed, %d could not be run'):format(summary.passed, summary.failed, summary.errors)
    if summary.passed + summary.failed + summary.errors == 0 then counts = 'no policy test for this file: *_test.mg files contain tests' end
    of.say(counts, #items > 0 and vim.log.levels.WARN or nil)
    if #items > 0 or panel.is_open('tests') then
      table.insert(lines, 1, counts)
      local below = {}
      for line, place in pairs(places) do below[line + 1] = place end
      panel.show('tests', client, lines, { places = below, stay = true })
    end
  end)
end

--- The command `mangle.test`, of lenses.
function M.test(command, context)
  run(assert(vim.lsp.get_client_by_id(context.client_id)), command.arguments and command.arguments[1] or vim.empty_dict())
end

--- `:Mangle test [CASE]`: what this file's tests, or the tests of its programs, say now.
function M.show(case)
  local client = of.wanted(0)
  if client then run(client, { uri = vim.uri_from_bufnr(0), filter = case ~= '' and case or nil }) end
end

return M
