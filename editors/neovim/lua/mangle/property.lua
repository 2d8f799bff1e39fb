-- `:Mangle verify [NAME]` and the lenses above the properties of a policy test: what one came to, with its world and its proof, as a document.
local documents = require('mangle.documents')
local of = require('mangle.client')
local M = {}

--- The command `mangle.property`.
function M.lens(command, context)
  local client = assert(vim.lsp.get_client_by_id(context.client_id))
  local wanted = vim.tbl_extend('force', command.arguments[1], { quiet = true })
  of.ask(client, 'workspace/executeCommand', { command = command.command, arguments = { wanted } }, function(answer)
    if type(answer) ~= 'table' or type(answer.document) ~= 'string' then
      return of.say('this file no longer has a property with this name', vim.log.levels.WARN)
    end
    documents.open(client, answer.document)
  end)
end

--- The properties of a buffer with their verdicts: { name, title, line, command }.
local function properties(lenses)
  local found = {}
  for _, lens in ipairs(lenses or {}) do
    local command = lens.command
    if command and command.command == 'mangle.property' then
      local name = command.arguments[1].name
      table.insert(found, { name = name, title = command.title, line = lens.range.start.line, command = command })
    end
  end
  return found
end

local function asked() return { textDocument = { uri = vim.uri_from_bufnr(0) } } end

--- The names of the properties of this buffer, for completion.
function M.names()
  local client = of.of(0)
  local lenses = client and of.ask_now(client, 'textDocument/codeLens', asked(), 2000)
  return vim.tbl_map(function(property) return property.name end, properties(lenses))
end

--- `:Mangle verify [NAME]`: what a property came to; without a name the one around the cursor, else the person chooses.
function M.show(name)
  local client = of.wanted(0)
  if not client then return end
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  of.ask(client, 'textDocument/codeLens', asked(), function(lenses)
    local all, here = properties(lenses), nil
    for _, property in ipairs(all) do
      if name and name ~= '' then
        if property.name == name then here = property end
      elseif property.line <= line then
        here = property
      end
    end
    local function open(chosen) if chosen then M.lens(chosen.command, { client_id = client.id }) end end
    if here then return open(here) end
    if #all == 0 or name and name ~= '' then
      return of.say('unknown property: add a comment such as `# @never` to a *_test.mg file', vim.log.levels.WARN)
    end
    local function format(one) return ('%s: %s'):format(one.name, one.title) end
    vim.ui.select(all, { prompt = 'Property:', format_item = format }, open)
  end)
end

return M
