-- Answers as text in a window of their own: one window for each kind of answer, which the next one takes over. `<CR>` leads to the place that a
-- line tells of.
local of = require('mangle.client')
local M = {}

--- The buffers in use, by the kind of answer.
local panels = {}

local function window_for(kind, split)
  local buffer = panels[kind]
  local window = buffer and vim.fn.win_findbuf(buffer)[1]
  if window then return vim.api.nvim_set_current_win(window) end
  vim.cmd(split)
  buffer = vim.api.nvim_get_current_buf()
  panels[kind] = buffer
  vim.bo[buffer].buftype, vim.bo[buffer].bufhidden, vim.bo[buffer].swapfile = 'nofile', 'wipe', false
  vim.api.nvim_buf_set_name(buffer, 'mangle://' .. kind)
  vim.api.nvim_create_autocmd('BufWipeout', { buffer = buffer, callback = function() panels[kind] = nil end })
  vim.keymap.set('n', '<CR>', M.follow, { buffer = buffer, desc = 'Go to the origin of this line' })
end

--- Goes to the place of the line under the cursor, or of the nearest line above that has one.
function M.follow()
  local client = of.wanted(0)
  local places = vim.b.mangle_places or {}
  for line = vim.api.nvim_win_get_cursor(0)[1], 1, -1 do
    local place = places[tostring(line)]
    if place and client then return of.go(client, place) end
  end
end

--- Whether an answer of this kind is shown.
function M.is_open(kind) return panels[kind] ~= nil end

--- Puts lines where the last answer of this kind was shown; the cursor stays where it is.
function M.fill(kind, client, lines, places)
  local buffer = panels[kind]
  if not buffer then return end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable, vim.bo[buffer].modified = false, false
  local by_name = {}
  for line, place in pairs(places or {}) do by_name[tostring(line)] = place end
  vim.b[buffer].mangle_places, vim.b[buffer].mangle_client = by_name, client.id
  return buffer
end

--- Shows an answer of a kind.
--- @param options { split?: string, places?: table<integer, lsp.Location>, filetype?: string, stay?: boolean } places by line; `stay`: in the window
--- where one is
function M.show(kind, client, lines, options)
  local from = vim.api.nvim_get_current_win()
  window_for(kind, options.split or 'botright new')
  local buffer = M.fill(kind, client, lines, options.places)
  if options.filetype then vim.bo[buffer].filetype = options.filetype end
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  if options.stay then vim.api.nvim_set_current_win(from) end
end

return M
