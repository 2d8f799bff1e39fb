-- What the files of tests here have in common. Each of them is the init.lua of a Neovim of its own, which has nothing but our plugin:
--   MANGLE_LS=…/mangle-ls nvim --headless -u test/SUBJECT.lua
-- in a copy of examples that may be changed. Prints a line `ok - …` or `not ok - …` for each check; the exit status says whether all passed.
local M = {}

--- The plugin's folder, and the repository's.
M.plugin = vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2))))
M.repository = vim.fs.dirname(vim.fs.dirname(M.plugin))

--- What was told to the person, in order.
M.said = {}

local failed = false

function M.check(name, test)
  local passed, problem = xpcall(test, function(text) return debug.traceback(text, 2) end)
  failed = failed or not passed
  io.stdout:write(passed and ('ok - %s\n'):format(name) or ('not ok - %s: %s\n'):format(name, problem))
end

--- Waits for a condition; what it returns is what is waited for.
function M.await(what, condition)
  local value
  local met = vim.wait(20000, function()
    value = condition()
    return value
  end, 20)
  assert(met, 'waited in vain for ' .. what .. '; said: ' .. table.concat(M.said, ' | '))
  return value
end

--- Waits until something with this text in it was told.
function M.told(text)
  return M.await("'" .. text .. "' to be said", function()
    return vim.iter(M.said):find(function(said) return said:find(text, 1, true) ~= nil end)
  end)
end

function M.equal(found, wanted)
  if not vim.deep_equal(found, wanted) then error(('found %s, not %s'):format(vim.inspect(found), vim.inspect(wanted)), 2) end
end

--- Opens an example; waits until the server looks at it.
function M.open(path)
  vim.cmd.edit(path)
  return M.await('a server for ' .. path, M.client)
end

function M.client() return vim.lsp.get_clients({ bufnr = 0, name = 'mangle_ls' })[1] end

--- Line and column, from 0, of the first place with this text in the current buffer.
function M.place(text, buffer)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer or 0, 0, -1, false)) do
    local column = line:find(text, 1, true)
    if column then return number - 1, column - 1 end
  end
end

--- Puts the cursor there.
function M.go(text)
  local line, column = M.place(text)
  assert(line, 'no such text: ' .. text)
  vim.api.nvim_win_set_cursor(0, { line + 1, column })
  return line, column
end

--- Types over the first place with this text.
function M.replace(text, new)
  local line, column = M.place(text)
  assert(line, 'no such text: ' .. text)
  vim.api.nvim_buf_set_text(0, line, column, line, column + #text, vim.split(new, '\n'))
end

function M.text(buffer) return table.concat(vim.api.nvim_buf_get_lines(buffer or 0, 0, -1, false), '\n') end

function M.findings(line) return vim.diagnostic.get(0, line and { lnum = line }) end

--- The buffer that shows a document or an answer whose name starts so.
function M.shown(prefix)
  return M.await(prefix, function()
    return vim.iter(vim.api.nvim_list_wins()):map(vim.api.nvim_win_get_buf):find(function(buffer)
      local name = vim.b[buffer].mangle_uri or vim.api.nvim_buf_get_name(buffer)
      return vim.startswith(name, prefix) and M.text(buffer) ~= ''
    end)
  end)
end

--- Waits for a text in what is shown under a name.
function M.shows(prefix, text)
  local seen = ''
  local met = vim.wait(20000, function()
    seen = M.text(M.shown(prefix))
    return seen:find(text, 1, true) ~= nil
  end, 20)
  assert(met, ("'%s' is not in %s:\n%s"):format(text, prefix, seen))
end

--- What a user's own init.lua does; then the tests, when Neovim is there.
function M.run(tests, options)
  vim.opt.runtimepath:prepend(M.plugin)
  vim.opt.swapfile = false
  vim.ui.select = function(items, _, chosen) chosen(items[1], 1) end -- nobody is there to choose
  vim.notify = function(text)
    table.insert(M.said, text)
    io.stdout:write(('# %s\n'):format(text:gsub('\n', '\n# ')))
  end
  vim.notify_once = vim.notify
  require('mangle').setup(options or { cmd = { vim.env.MANGLE_LS, 'lsp' } })
  vim.api.nvim_create_autocmd('VimEnter', {
    callback = vim.schedule_wrap(function()
      local done, problem = pcall(tests, M)
      if not done then M.check('the tests run', function() error(problem, 0) end) end
      vim.cmd(failed and 'cquit!' or 'quitall!')
    end),
  })
end

return M
