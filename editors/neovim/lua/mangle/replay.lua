-- `:Mangle replay` and `:Mangle state`, and the lenses above the turns of a transcript: what the policies say of it, and what the kernel holds after
-- a turn. The server says which document shows it.
local documents = require('mangle.documents')
local of = require('mangle.client')
local M = {}

local function open(client, command, wanted)
  wanted.quiet = true
  of.ask(client, 'workspace/executeCommand', { command = command, arguments = { wanted } }, function(answer)
    if type(answer) ~= 'table' or type(answer.document) ~= 'string' then
      return of.say('no turn here, not a transcript, or no policies for it', vim.log.levels.WARN)
    end
    documents.open(client, answer.document)
  end)
end

--- The commands `mangle.replay` and `mangle.state`.
function M.lens(command, context) open(assert(vim.lsp.get_client_by_id(context.client_id)), command.command, command.arguments[1]) end

--- A turn by its number, or by `wanted`.
local function show(command, turn, wanted)
  local client = of.wanted(0)
  if not client then return end
  if turn ~= '' and not turn:match('^%d+$') then return of.say(("'%s' is not the number of a turn"):format(turn), vim.log.levels.WARN) end
  wanted.uri = vim.uri_from_bufnr(0)
  if turn ~= '' then wanted.turn, wanted.position = tonumber(turn), nil end
  open(client, command, wanted)
end

--- The turn at the cursor.
local function here() return { position = { line = vim.api.nvim_win_get_cursor(0)[1] - 1, character = 0 } } end

--- `:Mangle replay [TURN]`: all turns, or those from this one on, of which `here` is the one at the cursor.
function M.show(turn)
  if turn == 'here' then return show('mangle.replay', '', here()) end
  show('mangle.replay', turn, { turn = 1 })
end

--- `:Mangle state [TURN]`: what the kernel holds after this turn, by default after the one at the cursor.
function M.state(turn) show('mangle.state', turn, here()) end

return M
