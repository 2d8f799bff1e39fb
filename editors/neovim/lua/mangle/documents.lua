-- Documents that the server makes, as buffers that follow edits. `<CR>` leads to where a part of one comes from. What is special about a scheme
-- (how its window opens, what is done after it was filled) it registers here.
local of = require('mangle.client')
local M = {}

--- Special things by scheme: { split = command, filled = function(buffer, made) }.
M.schemes = {
  ['mangle-conversation'] = { split = 'rightbelow vnew' },
  ['mangle-preview'] = { split = 'rightbelow vnew' },
  ['mangle-property'] = { split = 'rightbelow vnew' },
  ['mangle-replay'] = { split = 'rightbelow vnew' },
  ['mangle-split'] = { split = 'belowright new' },
  ['mangle-state'] = { split = 'rightbelow vnew' },
  ['mangle-syntax'] = { split = 'rightbelow vnew' },
}

--- Which documents are shown, by URI: { buffer, root } with the root of the server that made one. The names of buffers would not do: they are
--- patterns to Neovim, URIs are not.
local shown = {}

local function scheme_of(uri) return M.schemes[uri:match('^[%w-]+')] or {} end

--- Replaces what differs, so that cursor and marks elsewhere stay.
local function replace(buffer, lines)
  local old = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  local first, last = 0, 0
  while first < #old and first < #lines and old[first + 1] == lines[first + 1] do first = first + 1 end
  while last < #old - first and last < #lines - first and old[#old - last] == lines[#lines - last] do last = last + 1 end
  if first == #old and first == #lines then return end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, first, #old - last, false, vim.list_slice(lines, first + 1, #lines - last))
  vim.bo[buffer].modifiable, vim.bo[buffer].modified = false, false
end

--- Fills a buffer with the document of this URI, as the server makes it now.
local function fill(buffer, client, uri)
  of.ask(client, 'mangle/virtualDocument', { uri = uri }, function(made)
    if not vim.api.nvim_buf_is_valid(buffer) then return end
    replace(buffer, vim.split(made.text, '\n', { trimempty = true }))
    vim.b[buffer].mangle_origins = made.origins
    local filled = scheme_of(uri).filled
    if filled then filled(buffer, made) end
  end)
end

--- Makes the current, empty buffer one that shows this document.
function M.adopt(client, uri)
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].buftype, vim.bo[buffer].bufhidden, vim.bo[buffer].swapfile = 'nofile', 'wipe', false
  vim.bo[buffer].modifiable = false
  vim.b[buffer].mangle_client, vim.b[buffer].mangle_uri = client.id, uri
  vim.wo.wrap = false
  vim.keymap.set('n', '<CR>', M.follow, { buffer = buffer, desc = 'Go to the origin' })
  shown[uri] = { buffer = buffer, root = client.config.root_dir }
  vim.api.nvim_create_autocmd('BufWipeout', { buffer = buffer, callback = function() shown[uri] = nil end })
  fill(buffer, client, uri)
end

--- Calls a buffer as a person would: by scheme and name, without the address of what it is made from. The address, if that is taken.
local function name_buffer(uri)
  local scheme, rest = uri:match('^([%w-]+):([^?]*)')
  local name = scheme .. ':/' .. vim.uri_decode(rest:match('[^/]*$'))
  if vim.fn.bufexists(name) == 1 or not pcall(vim.api.nvim_buf_set_name, 0, name) then vim.api.nvim_buf_set_name(0, uri) end
end

--- Shows a document beside the current window, which stays the current one.
function M.open(client, uri)
  if shown[uri] then return fill(shown[uri].buffer, client, uri) end
  local window = vim.api.nvim_get_current_win()
  vim.cmd(scheme_of(uri).split)
  name_buffer(uri)
  M.adopt(client, uri)
  vim.api.nvim_set_current_win(window)
end

--- Shows the document of this scheme that is made from the file in a buffer.
function M.open_of(scheme, buffer)
  local client = of.wanted(buffer)
  if client then M.open(client, scheme .. ':' .. vim.uri_from_bufnr(buffer)) end
end

--- The narrowest origin of the place under the cursor; without one, the first of its line.
local function origin_here(client)
  local line, byte = unpack(vim.api.nvim_win_get_cursor(0))
  local column = of.column(client, vim.api.nvim_get_current_line(), byte)
  local found, of_line
  for _, origin in ipairs(vim.b.mangle_origins or {}) do
    local from, to = origin.range.start, origin.range['end']
    if from.line <= line - 1 and line - 1 <= to.line then
      local behind = from.line < line - 1 or from.character <= column
      local before = line - 1 < to.line or column < to.character
      if behind and before then found = origin end
      of_line = of_line or origin
    end
  end
  return found or of_line
end

--- Goes to where the part under the cursor comes from.
function M.follow()
  local client = of.wanted(0)
  local origin = client and origin_here(client)
  if not client or not origin then return end
  of.go(client, origin.location)
end

--- The notification that a document is another one by now.
function M.changed(_, params, context)
  local client, document = vim.lsp.get_client_by_id(context.client_id), shown[params.uri]
  if document and client then fill(document.buffer, client, params.uri) end
end

--- After the server was started again: its documents are asked for anew.
function M.refresh(client)
  for uri, document in pairs(shown) do
    if document.root == client.config.root_dir then
      vim.b[document.buffer].mangle_client = client.id
      fill(document.buffer, client, uri)
    end
  end
end

return M
