-- Both channels of a transcript, what was shown and what the kernel was told, in a window below it that follows edits.
local M = {}

local SCHEME = 'mangle-split:'

--- Before 0.11 the methods of a client are plain functions.
local function request(client, ...)
  if vim.fn.has('nvim-0.11') == 1 then return client:request(...) end
  return client.request(...)
end

local function client_of(buffer)
  local get = vim.lsp.get_clients or vim.lsp.get_active_clients
  return get({ bufnr = buffer, name = 'mangle_ls' })[1]
end

--- Fills a buffer with what the server makes of the transcript that it is named after.
local function fill(buffer, client, uri)
  request(client, 'mangle/virtualDocument', { uri = uri }, function(problem, made)
    if problem then return vim.notify('mangle: ' .. problem.message, vim.log.levels.ERROR) end
    if not vim.api.nvim_buf_is_valid(buffer) then return end
    vim.bo[buffer].modifiable = true
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(made.text, '\n', { trimempty = true }))
    vim.bo[buffer].modifiable = false
    vim.b[buffer].mangle_origins = made.origins
  end)
end

--- Goes to the place in the transcript that the part under the cursor comes from.
function M.go()
  local line, column = unpack(vim.api.nvim_win_get_cursor(0))
  local client = client_of(vim.b.mangle_transcript)
  for _, origin in ipairs(client and vim.b.mangle_origins or {}) do
    local range, encoding = origin.range, client.offset_encoding
    local text = vim.api.nvim_get_current_line()
    local index = vim.lsp.util._str_utfindex_enc and vim.lsp.util._str_utfindex_enc(text, column, encoding) or column
    if range.start.line == line - 1 and range.start.character <= index and index <= range['end'].character then
      return vim.lsp.util.show_document
          and vim.lsp.util.show_document(origin.location, encoding, { focus = true })
        or vim.lsp.util.jump_to_location(origin.location, encoding)
    end
  end
end

--- Shows both channels of the transcript in the current buffer.
function M.show()
  local transcript = vim.api.nvim_get_current_buf()
  local client = client_of(transcript)
  if not client then return vim.notify('mangle: the server does not look at this buffer', vim.log.levels.WARN) end
  local uri = SCHEME .. vim.uri_from_bufnr(transcript)
  local known = vim.fn.bufnr(uri)
  if known ~= -1 then return fill(known, client, uri) end
  local window = vim.api.nvim_get_current_win()
  vim.cmd('belowright new')
  local buffer = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_name(buffer, uri)
  vim.bo[buffer].buftype, vim.bo[buffer].bufhidden, vim.bo[buffer].swapfile = 'nofile', 'wipe', false
  vim.b[buffer].mangle_transcript = transcript
  vim.wo.wrap = false
  vim.keymap.set('n', '<CR>', M.go, { buffer = buffer, desc = 'Go to this place in the transcript' })
  vim.api.nvim_set_current_win(window)
  fill(buffer, client, uri)
end

--- The notification that a virtual document is another one by now.
function M.changed(_, params, context)
  local buffer = vim.fn.bufnr(params.uri)
  local client = vim.lsp.get_client_by_id(context.client_id)
  if buffer ~= -1 and client then fill(buffer, client, params.uri) end
end

return M
