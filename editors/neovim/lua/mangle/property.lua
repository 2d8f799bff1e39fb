-- The lenses above the properties of a policy test: what one came to, with its world and its proof, as a document.
local documents = require('mangle.documents')
local of = require('mangle.client')
local M = {}

--- The command `mangle.property`.
function M.lens(command, context)
  local client = assert(vim.lsp.get_client_by_id(context.client_id))
  local wanted = vim.tbl_extend('force', command.arguments[1], { quiet = true })
  of.ask(client, 'workspace/executeCommand', { command = command.command, arguments = { wanted } }, function(answer)
    if type(answer) ~= 'table' or type(answer.document) ~= 'string' then
      return of.say('this file has no property of this name any more', vim.log.levels.WARN)
    end
    documents.open(client, answer.document)
  end)
end

return M
