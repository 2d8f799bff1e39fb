-- Prompts as buffers that follow typing: one a preview, beside the kernel. `<CR>` leads to where a line comes from; sections fold, and lines that
-- are others than when the buffer was opened are marked.
local M = {}

local SCHEME = 'mangle-preview:'
local marks = vim.api.nvim_create_namespace('mangle-preview')

--- Before 0.11 the methods of a client are plain functions.
local function request(client, ...)
  if vim.fn.has('nvim-0.11') == 1 then return client:request(...) end
  return client.request(...)
end

--- As `encodeURIComponent` does.
local function encoded(text)
  return (text:gsub('[^%w%-_.!~*\'()]', function(char) return ('%%%02X'):format(char:byte()) end))
end

local function mark(buffer, lines)
  local first = vim.b[buffer].mangle_first
  vim.api.nvim_buf_clear_namespace(buffer, marks, 0, -1)
  for at, line in ipairs(lines) do
    if not vim.tbl_contains(first, line) then
      vim.api.nvim_buf_set_extmark(buffer, marks, at - 1, 0, { line_hl_group = 'DiffAdd' })
    end
  end
end

local function fold(buffer, folds)
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    vim.api.nvim_win_call(window, function()
      local view = vim.fn.winsaveview()
      vim.wo.foldmethod, vim.wo.foldenable = 'manual', true
      vim.cmd('silent! normal! zE')
      for _, range in ipairs(folds or {}) do
        vim.cmd(('silent! %d,%dfold'):format(range.startLine + 1, range.endLine + 1))
      end
      vim.cmd('silent! normal! zR')
      vim.fn.winrestview(view)
    end)
  end
end

--- Fills a buffer with what the server makes; the cursor and what is seen stay.
local function fill(buffer, client, uri, tries)
  request(client, 'mangle/virtualDocument', { uri = uri }, function(problem, made)
    -- An edit came first.
    if problem and problem.code == -32801 and (tries or 0) < 20 then
      return vim.defer_fn(function() fill(buffer, client, uri, (tries or 0) + 1) end, 100)
    end
    if problem then return vim.notify('mangle: ' .. problem.message, vim.log.levels.ERROR) end
    if not vim.api.nvim_buf_is_valid(buffer) then return end
    local lines = vim.split(made.text, '\n', { trimempty = true })
    vim.b[buffer].mangle_first = vim.b[buffer].mangle_first or lines
    vim.bo[buffer].modifiable = true
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
    vim.bo[buffer].modifiable = false
    vim.b[buffer].mangle_origins = made.origins
    mark(buffer, lines)
    fold(buffer, made.folds)
  end)
end

--- Goes to where the line under the cursor comes from.
function M.go()
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  local client = vim.lsp.get_client_by_id(vim.b.mangle_client)
  for _, origin in ipairs(client and vim.b.mangle_origins or {}) do
    if origin.range.start.line <= line and line <= origin.range['end'].line then
      vim.cmd('wincmd p')
      return vim.lsp.util.show_document
          and vim.lsp.util.show_document(origin.location, client.offset_encoding, { focus = true })
        or vim.lsp.util.jump_to_location(origin.location, client.offset_encoding)
    end
  end
end

--- Opens a virtual document beside the current window.
local function open(client, uri)
  local known = vim.fn.bufnr(uri)
  if known ~= -1 then return fill(known, client, uri) end
  local window = vim.api.nvim_get_current_win()
  vim.cmd('rightbelow vnew')
  local buffer = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_name(buffer, uri)
  vim.bo[buffer].buftype, vim.bo[buffer].bufhidden, vim.bo[buffer].swapfile = 'nofile', 'wipe', false
  vim.b[buffer].mangle_client = client.id
  vim.keymap.set('n', '<CR>', M.go, { buffer = buffer, desc = 'Go to where this line comes from' })
  vim.api.nvim_set_current_win(window)
  fill(buffer, client, uri)
end

--- The command `mangle.preview`.
function M.preview(command, context)
  local client, wanted = assert(vim.lsp.get_client_by_id(context.client_id)), command.arguments[1]
  local keys = {}
  if wanted.shard then table.insert(keys, 'shard=' .. encoded(table.concat(wanted.shard, ' '))) end
  for _, key in ipairs({ 'mode', 'part' }) do
    if type(wanted[key]) == 'string' then table.insert(keys, key .. '=' .. encoded(wanted[key])) end
  end
  table.insert(keys, 'of=' .. encoded(wanted.uri))
  open(client, SCHEME .. '/' .. encoded(wanted.name or '') .. '?' .. table.concat(keys, '&'))
end

--- The notification that a virtual document is another one by now.
function M.changed(_, params, context)
  local buffer = vim.fn.bufnr(params.uri)
  local client = vim.lsp.get_client_by_id(context.client_id)
  if buffer ~= -1 and client then fill(buffer, client, params.uri) end
end

return M
