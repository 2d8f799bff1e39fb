-- Prompts as buffers that follow typing: one a preview, beside the kernel. Sections fold, and lines that are others than when the buffer was opened
-- are marked.
local documents = require('mangle.documents')
local of = require('mangle.client')
local M = {}

local marks = vim.api.nvim_create_namespace('mangle-preview')

--- Marks the lines that were not there when the buffer was first filled.
local function mark(buffer)
  local lines, first = vim.api.nvim_buf_get_lines(buffer, 0, -1, false), {}
  if vim.b[buffer].mangle_first == nil then vim.b[buffer].mangle_first = lines end
  for _, line in ipairs(vim.b[buffer].mangle_first) do first[line] = true end
  vim.api.nvim_buf_clear_namespace(buffer, marks, 0, -1)
  for at, line in ipairs(lines) do
    if not first[line] then vim.api.nvim_buf_set_extmark(buffer, marks, at - 1, 0, { line_hl_group = 'DiffAdd' }) end
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

documents.schemes['mangle-preview'].filled = function(buffer, made)
  mark(buffer)
  fold(buffer, made.folds)
end

--- The URI of a preview, of the parameters of mangle/preview.
local function uri_of(wanted)
  local keys = {}
  if wanted.shard then table.insert(keys, 'shard=' .. of.encoded(table.concat(wanted.shard, ' '))) end
  for _, key in ipairs({ 'mode', 'part' }) do
    if type(wanted[key]) == 'string' then table.insert(keys, key .. '=' .. of.encoded(wanted[key])) end
  end
  table.insert(keys, 'of=' .. of.encoded(wanted.uri))
  return 'mangle-preview:/' .. of.encoded(wanted.name or '') .. '?' .. table.concat(keys, '&')
end

--- The command `mangle.preview`, of lenses.
function M.preview(command, context)
  documents.open(assert(vim.lsp.get_client_by_id(context.client_id)), uri_of(command.arguments[1]))
end

--- `:Mangle preview [NAME]`: the preview of this name, without one the nearest above the cursor, else the first.
function M.show(name)
  local buffer = vim.api.nvim_get_current_buf()
  local client = of.wanted(buffer)
  if not client then return end
  if name == '' then
    local above = of.named(buffer, 'preview', vim.api.nvim_win_get_cursor(0)[1])
    name = above[#above] or of.named(buffer, 'preview')[1] or ''
  end
  if name == '' then
    return of.say("this file has no preview: add a line '# @preview name: …' to a *.kernel.mg file", vim.log.levels.WARN)
  end
  documents.open(client, uri_of({ name = name, uri = vim.uri_from_bufnr(buffer) }))
end

return M
