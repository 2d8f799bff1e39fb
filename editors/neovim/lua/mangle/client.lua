-- Talking to the server, in the same way on any Neovim from 0.10 on.
local M = {}

--- The name of the client, also that of its configuration.
M.NAME = 'mangle_ls'

--- Milliseconds until a question without an answer is told of, and how often one is asked again that an edit overtook.
M.limits = { answer = 15000, tries = 40 }

local is_new = vim.fn.has('nvim-0.11') == 1
local CONTENT_MODIFIED = -32801

--- Tells something to the person, always as ours.
--- @param level? integer one of vim.log.levels; by default a piece of information
function M.say(text, level) vim.notify('mangle: ' .. text, level or vim.log.levels.INFO) end

--- The client of a buffer, or the one that made what is in it.
function M.of(buffer)
  buffer = (buffer == nil or buffer == 0) and vim.api.nvim_get_current_buf() or buffer
  local maker = vim.b[buffer].mangle_client
  return maker and vim.lsp.get_client_by_id(maker) or vim.lsp.get_clients({ bufnr = buffer, name = M.NAME })[1]
end

--- The same, or nothing after having said why there is none.
function M.wanted(buffer)
  local client = M.of(buffer)
  if not client then M.say("the server is not attached to this buffer; ':checkhealth mangle' shows the reason", vim.log.levels.WARN) end
  return client
end

--- The two kinds of call that changed in 0.11, where the methods of a client became methods.
function M.call(client, method, ...)
  if is_new then return client[method](client, ...) end
  return client[method](...)
end

--- Asks; `take` gets the answer. Once more if an edit came first; any other error is told, and so is silence.
function M.ask(client, method, params, take, tries)
  local answered = false
  local sent = M.call(client, 'request', method, params, function(problem, answer)
    answered = true
    if problem and problem.code == CONTENT_MODIFIED and (tries or 0) < M.limits.tries then
      return vim.defer_fn(function() M.ask(client, method, params, take, (tries or 0) + 1) end, 100)
    end
    if problem then return M.say(problem.message, vim.log.levels.ERROR) end
    take(answer)
  end)
  if not sent then return M.say("the server has ended; ':Mangle restart' starts it again", vim.log.levels.ERROR) end
  vim.defer_fn(function()
    if answered or client.is_stopped and M.call(client, 'is_stopped') then return end
    M.say(("no answer to %s for %d s; ':Mangle restart' restarts the server"):format(method, M.limits.answer / 1000), vim.log.levels.WARN)
  end, M.limits.answer)
end

--- Asks and waits, at most so many milliseconds; nothing if that was too short. For completion of command lines and for :checkhealth.
function M.ask_now(client, method, params, limit)
  local answer = M.call(client, 'request_sync', method, params, limit, 0)
  return answer and answer.result
end

--- A text as part of a URI, as `encodeURIComponent` does it.
function M.encoded(text)
  return (text:gsub("[^%w%-_.!~*'()]", function(char) return ('%%%02X'):format(char:byte()) end))
end

--- The names that comments `# @WORD name: …` of a buffer give, in its order.
--- @param last? integer the last line that counts, by default that of the buffer
function M.named(buffer, word, last)
  local names = {}
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, last or -1, false)) do
    table.insert(names, line:match('^#%s*@' .. word .. '%s+name:%s*(.-)%s*$'))
  end
  return names
end

--- Shows a place in a window that has its buffer already, else in the previous one.
function M.go(client, location)
  local buffer = vim.uri_to_bufnr(location.uri)
  if #vim.tbl_filter(function(window) return vim.api.nvim_win_get_buf(window) == buffer end, vim.api.nvim_tabpage_list_wins(0)) == 0 then
    vim.cmd('wincmd p')
  end
  return vim.lsp.util.show_document(location, client.offset_encoding, { focus = true, reuse_win = true })
end

--- The byte column of a line, from 0, in the client's unit of columns.
function M.column(client, line, byte)
  local unit = client.offset_encoding
  if unit == 'utf-8' then return byte end
  if is_new then return vim.str_utfindex(line, unit, byte, false) end
  local utf32, utf16 = vim.str_utfindex(line, byte)
  return unit == 'utf-16' and utf16 or utf32
end

--- The byte of a line, from 0, at a column in the client's unit; the end of a line that is shorter.
function M.byte(client, line, column)
  local unit = client.offset_encoding
  if unit == 'utf-8' then return math.min(column, #line) end
  if is_new then return vim.str_byteindex(line, unit, column, false) end
  local known, byte = pcall(vim.str_byteindex, line, column, unit == 'utf-16')
  return known and byte or #line
end

return M
