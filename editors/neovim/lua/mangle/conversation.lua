-- `:Mangle conversation` and `:MangleConversation`: the transcript in this buffer as a conversation, at the line of the cursor, or a file that is not
-- opened for that. `]r` and `[r` show the records after and before those that are shown; what the runtime does not keep is struck out.
local documents = require('mangle.documents')
local of = require('mangle.client')
local requests = require('mangle.conversation_requests')
local M = {}

local marks = vim.api.nvim_create_namespace('mangle-conversation')

--- What is said about a place, rather than shown of it.
local beside = { finding = 1e12, verdict = 1e12 }

--- The line of the conversation that shows a place of the raw file: that of the smallest part around it.
local function line_of(made, uri, line, column)
  local found, smallest
  for _, origin in ipairs(made.origins) do
    local from, to = origin.location.range.start, origin.location.range['end']
    local behind = from.line < line or from.line == line and from.character <= column
    local before = line < to.line or to.line == line and column < to.character
    if origin.location.uri == uri and behind and before then
      local size = (to.line - from.line) * 1e6 + to.character - from.character + (beside[origin.kind] or 0)
      if not smallest or size < smallest then found, smallest = origin.range.start.line, size end
    end
  end
  return found
end

--- Strikes out what stands between `~~` and `~~`.
local function strike(buffer)
  vim.api.nvim_set_hl(0, 'MangleLost', { strikethrough = true, default = true })
  vim.api.nvim_buf_clear_namespace(buffer, marks, 0, -1)
  for at, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local from, to = line:find('~~.-~~')
    while from do
      vim.api.nvim_buf_set_extmark(buffer, marks, at - 1, from - 1, { end_col = to, hl_group = 'MangleLost' })
      from, to = line:find('~~.-~~', to + 1)
    end
  end
end

--- Shows the records before or after those of this buffer.
local function turn_page(where)
  local page = (vim.b.mangle_window or {})[where]
  local client = of.wanted(0)
  if not client or type(page) ~= 'string' then return of.say('there are no more records', vim.log.levels.INFO) end
  vim.cmd('enew')
  documents.adopt(client, page)
end

--- After a buffer was filled.
local function filled(buffer, made)
  vim.b[buffer].mangle_window, vim.b[buffer].mangle_turns = made.window, made.turns
  strike(buffer)
  local client = of.of(buffer)
  if client then requests.show_findings(client, buffer, made.diagnostics) end
  requests.map(buffer)
  vim.keymap.set('n', ']r', function() turn_page('after') end, { buffer = buffer, desc = 'The next records' })
  vim.keymap.set('n', '[r', function() turn_page('before') end, { buffer = buffer, desc = 'The previous records' })
  local wanted = M.wanted
  M.wanted = nil
  local line = wanted and line_of(made, wanted.uri, wanted.line, wanted.column)
  local window = vim.fn.bufwinid(buffer)
  if line and window ~= -1 then vim.api.nvim_win_set_cursor(window, { line + 1, 0 }) end
end

documents.schemes['mangle-conversation'].filled = filled

--- Shows the transcript in the current buffer, or the one at a path: its first records.
function M.show(path)
  local client = of.wanted(0)
  if not client then return end
  if path and path ~= '' then
    local uri = vim.uri_from_fname(vim.fn.fnamemodify(vim.fn.expand(path), ':p'))
    return documents.open(client, ('mangle-conversation:/1?of=%s'):format(of.encoded(uri)))
  end
  local uri = vim.uri_from_bufnr(0)
  local line, byte = unpack(vim.api.nvim_win_get_cursor(0))
  M.wanted = { uri = uri, line = line - 1, column = of.column(client, vim.api.nvim_get_current_line(), byte) }
  documents.open(client, ('mangle-conversation:/line-%d?of=%s'):format(line, of.encoded(uri)))
end

return M
