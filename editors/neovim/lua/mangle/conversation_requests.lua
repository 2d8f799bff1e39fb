-- What the server knows at a place of a conversation: `K` shows a hover, `gd` goes to a definition, `gra` lists fixes, `gO` lists the turns.
-- It is asked with the address of the document; edits and targets are those of the transcript.
local of = require('mangle.client')
local M = {}

local found = vim.api.nvim_create_namespace('mangle-conversation-findings')

--- The place of the cursor, as the parameters of a request.
local function here(client)
  local line, byte = unpack(vim.api.nvim_win_get_cursor(0))
  local column = of.column(client, vim.api.nvim_get_current_line(), byte)
  return { textDocument = { uri = vim.b.mangle_uri }, position = { line = line - 1, character = column } }
end

--- Shows what is found in the records of a conversation.
function M.show_findings(client, buffer, diagnostics)
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  local function byte(at) return of.byte(client, lines[at.line + 1] or '', at.character) end
  local all = vim.tbl_map(function(one)
    local from, to = one.range.start, one.range['end']
    return {
      lnum = from.line, col = byte(from), end_lnum = to.line, end_col = byte(to),
      severity = one.severity, message = one.message, source = one.source, code = one.code,
      user_data = { lsp = one },
    }
  end, diagnostics or {})
  vim.diagnostic.set(found, buffer, all)
end

--- `K`
function M.hover()
  local client = of.wanted(0)
  if not client then return end
  of.ask(client, 'textDocument/hover', here(client), function(hover)
    if not hover or not hover.contents then return of.say('no information at this position') end
    local lines = vim.lsp.util.convert_input_to_markdown_lines(hover.contents)
    vim.lsp.util.open_floating_preview(lines, 'markdown', { focus_id = 'mangle-conversation' })
  end)
end

--- `gd`
function M.definition()
  local client = of.wanted(0)
  if not client then return end
  of.ask(client, 'textDocument/definition', here(client), function(found_at)
    local first = found_at and (found_at.uri and found_at or found_at.targetUri and found_at or found_at[1])
    if not first then return of.say('no definition here') end
    of.go(client, { uri = first.uri or first.targetUri, range = first.range or first.targetSelectionRange })
  end)
end

--- Does what an action does: its edit is one of the transcript.
local function apply(client, action)
  if action.edit then vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding) end
  local command = type(action.command) == 'table' and action.command or action.command and action
  local run = command and vim.lsp.commands[command.command]
  if run then run(command, { client_id = client.id, bufnr = vim.api.nvim_get_current_buf() }) end
end

--- `gra`: what can be done about the line of the cursor.
function M.actions()
  local client = of.wanted(0)
  if not client then return end
  local at = here(client)
  local of_line = vim.diagnostic.get(0, { namespace = found, lnum = at.position.line })
  local sent = vim.tbl_map(function(one) return one.user_data.lsp end, of_line)
  local range = sent[1] and sent[1].range or { start = at.position, ['end'] = at.position }
  local asked = { textDocument = at.textDocument, range = range, context = { diagnostics = sent } }
  of.ask(client, 'textDocument/codeAction', asked, function(actions)
    if not actions or #actions == 0 then return of.say('no fix is available here') end
    vim.ui.select(actions, { prompt = 'Mangle:', format_item = function(action) return action.title end }, function(chosen)
      if not chosen then return end
      if chosen.edit or not chosen.data then return apply(client, chosen) end
      of.ask(client, 'codeAction/resolve', chosen, function(resolved) apply(client, resolved) end)
    end)
  end)
end

--- What became of a turn.
local function words(turn)
  local all = { turn.title }
  if turn.denied > 0 then table.insert(all, turn.denied .. ' denied') end
  if turn.lost > 0 then table.insert(all, turn.lost .. ' lost') end
  if turn.corrects then table.insert(all, 'corrects itself') end
  if turn.excerpt ~= '' then table.insert(all, turn.excerpt) end
  return table.concat(all, ' · ')
end

--- `gO`: the turns, in the location list.
function M.turns()
  local buffer = vim.api.nvim_get_current_buf()
  local items = vim.tbl_map(function(turn)
    local kind = turn.denied > 0 and 'E' or turn.lost > 0 and 'W' or ''
    return { bufnr = buffer, lnum = turn.startLine + 1, col = 1, type = kind, text = words(turn) }
  end, vim.b.mangle_turns or {})
  vim.fn.setloclist(0, {}, ' ', { title = 'Turns', items = items })
  vim.cmd.lopen()
end

--- The keys of a conversation.
function M.map(buffer)
  local function map(keys, run, what) vim.keymap.set('n', keys, run, { buffer = buffer, desc = what }) end
  map('K', M.hover, 'Show the hover')
  map('gd', M.definition, 'Go to the definition, or to the bytes')
  map('gra', M.actions, 'List the fixes of this line')
  map('gO', M.turns, 'The turns')
end

return M
