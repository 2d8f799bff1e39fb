-- Drives the real Neovim: a program with a mistake is opened, coloured, reported, mended.
--   MANGLE_LS=…/mangle-ls nvim --headless -u smoke.lua PROGRAM/constitution.mg
-- PROGRAM is a copy of examples/incident that may be changed. Prints a line `ok - …` or
-- `not ok - …` for each check; the exit status says whether all passed.

local plugin = vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2))))
local failed = false

local function check(name, test)
  local passed, problem = pcall(test)
  failed = failed or not passed
  io.stdout:write(passed and ('ok - %s\n'):format(name) or ('not ok - %s: %s\n'):format(name, problem))
end

--- Waits for a condition; what it returns is what is waited for.
local function await(what, condition)
  local value
  assert(vim.wait(20000, function()
    value = condition()
    return value
  end, 20), 'waited in vain for ' .. what)
  return value
end

local function line_with(text)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local column = line:find(text, 1, true)
    if column then return number - 1, column - 1 end
  end
end

--- The highlight groups that tree-sitter gives to the first place with this text.
local function colours(text)
  local line, column = line_with(text)
  assert(line, 'no such text: ' .. text)
  return vim.tbl_map(function(capture) return capture.capture end, vim.treesitter.get_captures_at_pos(0, line, column))
end

local function findings(line) return vim.diagnostic.get(0, line and { lnum = line }) end

local function run()
  check('files are Mangle', function()
    assert(vim.bo.filetype == 'mangle', vim.bo.filetype)
    assert(vim.filetype.match({ filename = 'schemas.gl' }) == 'mangle')
    assert(vim.bo.commentstring == '# %s', vim.bo.commentstring)
  end)
  check('highlighting', function()
    assert(vim.treesitter.highlighter.active[vim.api.nvim_get_current_buf()], 'not active')
    vim.treesitter.get_parser(0):parse(true) -- colouring parses in the background; the questions below do not wait
    local expected = { { '# The', 'comment' }, { 'permitted(', 'function' }, { 'ActionID', 'variable' }, { '"https', 'string' } }
    for _, pair in ipairs(expected) do
      local text, wanted = pair[1], pair[2]
      local found = colours(text)
      local hit = vim.iter(found):any(function(name) return name:match('^' .. wanted) end)
      assert(hit, ('%s is @%s, not @%s'):format(text, table.concat(found, ' @'), wanted))
    end
  end)
  check('diagnostics', function()
    await('a server', function() return vim.lsp.get_clients({ bufnr = 0, name = 'mangle_ls' })[1] end)
    await('diagnostics', function() return #findings() > 0 end)
  end)
  check('a lens asks for the facts of a predicate', function()
    local client = await('a server', function() return vim.lsp.get_clients({ bufnr = 0, name = 'mangle_ls' })[1] end)
    local context = { client_id = client.id, bufnr = 0 }
    local window, question = vim.api.nvim_get_current_win(), { uri = vim.uri_from_bufnr(0) }
    vim.lsp.commands['mangle.query']({ command = 'mangle.query', arguments = { question } }, context)
    local first = await('an answer', function()
      local line = vim.api.nvim_buf_get_lines(0, 0, 1, false)[1]
      return vim.bo.buftype == 'nofile' and line
    end)
    assert(first:match('^# %d+ facts, the engine'), first)
    vim.cmd('close')
    vim.api.nvim_set_current_win(window)
    vim.lsp.commands['mangle.copyQuery']({ command = 'mangle.copyQuery', arguments = { 'mangle-ls query' } }, context)
    assert(vim.fn.getreg('"') == 'mangle-ls query', vim.fn.getreg('"'))
  end)
  check('both channels of a transcript', function()
    local policy = vim.api.nvim_get_current_buf()
    local examples = vim.fs.dirname(vim.fs.dirname(plugin)) .. '/examples/transcripts'
    local transcript = vim.fs.dirname(vim.api.nvim_buf_get_name(policy)) .. '/transcripts/lost-atoms.json'
    vim.fn.mkdir(vim.fs.dirname(transcript), 'p')
    vim.fn.writefile(vim.fn.readfile(examples .. '/failures/lost-atoms.json'), transcript)
    vim.cmd.edit(transcript)
    await('a server', function() return vim.lsp.get_clients({ bufnr = 0, name = 'mangle_ls' })[1] end)
    await('findings', function() return #findings() > 0 end)
    vim.cmd('MangleChannels')
    local name = 'mangle-split:' .. vim.uri_from_bufnr(0)
    local lines = await('both channels', function()
      local shown = vim.api.nvim_buf_get_lines(vim.fn.bufnr(name), 0, -1, false)
      return #shown > 2 and shown
    end)
    assert(lines[4]:find('+ modified("core/lease.rs").', 1, true), lines[4])
    -- It follows the transcript, and leads back.
    local line, column = line_with('Renewal in')
    vim.api.nvim_buf_set_text(0, line, column, line, column + 7, { 'Mending' })
    await('the new surface', function()
      return vim.api.nvim_buf_get_lines(vim.fn.bufnr(name), 2, 3, false)[1]:find('Mending in', 1, true)
    end)
    vim.api.nvim_set_current_win(vim.fn.bufwinid(vim.fn.bufnr(name)))
    vim.api.nvim_win_set_cursor(0, { 4, #lines[4] - 3 })
    require('mangle.channels').go()
    assert(vim.api.nvim_get_current_line():find('modified(', 1, true), vim.api.nvim_get_current_line())
    vim.cmd('silent! only | buffer! ' .. policy)
  end)
  check('a quick fix changes the text', function()
    local line, column = line_with('not is_known(')
    await('a finding there', function() return #findings(line) > 0 end)
    vim.api.nvim_win_set_cursor(0, { line + 1, column })
    vim.lsp.buf.code_action({ apply = true, context = { only = { 'quickfix' } } })
    await('the new text', function() return line_with('    !is_known(') == line end)
    await('the finding to go', function() return #findings(line) == 0 end)
  end)
end

-- What a user's own init.lua does.
vim.opt.runtimepath:prepend(plugin)
vim.ui.select = function(items, _, chosen) chosen(items[1], 1) end -- nobody is there to choose
vim.notify = function(text) io.stdout:write(('# %s\n'):format(text)) end
require('mangle').setup({ cmd = { vim.env.MANGLE_LS, 'serve' } })

check('the parser installs', function() require('mangle.parser').install() end)
vim.api.nvim_create_autocmd('VimEnter', {
  callback = vim.schedule_wrap(function()
    run()
    vim.cmd(failed and 'cquit' or 'quitall!')
  end),
})
