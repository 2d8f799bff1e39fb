-- What a file is and looks like: types, colours, indentation, help, health.
local t = dofile(vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/harness.lua')

--- The highlight groups that tree-sitter gives to the first place with this text.
local function colours(text)
  local line, column = t.place(text)
  assert(line, 'no such text: ' .. text)
  return vim.tbl_map(function(capture) return capture.capture end, vim.treesitter.get_captures_at_pos(0, line, column))
end

t.run(function()
  t.check('files are Mangle', function()
    t.open('incident/constitution.mg')
    t.equal(vim.bo.filetype, 'mangle')
    t.equal(vim.filetype.match({ filename = 'schemas.gl' }), 'mangle')
    t.equal(vim.bo.commentstring, '# %s')
  end)
  t.check('highlighting', function()
    assert(vim.treesitter.highlighter.active[vim.api.nvim_get_current_buf()], 'not active')
    vim.treesitter.get_parser(0):parse(true) -- colouring parses in the background; the questions below do not wait
    local expected = { { '# The', 'comment' }, { 'permitted(', 'function' }, { 'ActionID', 'variable' }, { '"https', 'string' } }
    for _, pair in ipairs(expected) do
      local found = colours(pair[1])
      local hit = vim.iter(found):any(function(name) return name:match('^' .. pair[2]) end)
      assert(hit, ('%s is @%s, not @%s'):format(pair[1], table.concat(found, ' @'), pair[2]))
    end
  end)
  t.check('every query is one for this parser', function()
    for _, file in ipairs(vim.api.nvim_get_runtime_file('queries/mangle/*.scm', true)) do
      assert(vim.treesitter.query.parse('mangle', table.concat(vim.fn.readfile(file), '\n')), file)
    end
  end)
  t.check('the next line begins where it belongs', function()
    vim.cmd('enew! | setfiletype mangle')
    vim.cmd.normal('ip(X) :- # p(1).\nq(X, "a(.:-"),\nq(\'one. # two\',\nX).\ns(1).')
    t.equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), { 'p(X) :- # p(1).', '    q(X, "a(.:-"),', "    q('one. # two',", '    X).', 's(1).' })
    vim.cmd('bwipeout!')
  end)
  t.check('help tags are those of the help file, and help opens', function()
    local folder = vim.fn.tempname() .. '/doc'
    vim.fn.mkdir(folder, 'p')
    assert(vim.uv.fs_copyfile(t.plugin .. '/doc/mangle.txt', folder .. '/mangle.txt'))
    vim.cmd.helptags(folder)
    t.equal(vim.fn.readfile(folder .. '/tags'), vim.fn.readfile(t.plugin .. '/doc/tags'))
    for _, topic in ipairs({ 'mangle', 'mangle-settings', ':Mangle-preview' }) do
      vim.cmd.help(topic)
      t.equal(vim.fn.expand('%:t'), 'mangle.txt')
      assert(vim.api.nvim_get_current_line():find('*' .. topic .. '*', 1, true), vim.api.nvim_get_current_line())
    end
    vim.cmd('helpclose')
  end)
  t.check('every word of :Mangle is in the help, and is completed', function()
    local help = table.concat(vim.fn.readfile(t.plugin .. '/doc/mangle.txt'), '\n')
    local words = vim.fn.getcompletion('Mangle ', 'cmdline')
    assert(#words > 10, vim.inspect(words))
    for _, word in ipairs(words) do assert(help:find('*:Mangle-' .. word .. '*', 1, true), word) end
    t.equal(vim.fn.getcompletion('Mangle prev', 'cmdline'), { 'preview' })
    vim.cmd('Mangle preview-it')
    t.told("unknown command ':Mangle preview-it'")
  end)
  t.check('the settings on the page about editors are those of VS Code there', function()
    local page = table.concat(vim.fn.readfile(t.repository .. '/docs/editors.md'), '\n')
    local wanted = vim.json.decode(page:match('```json\n(.-)\n```'))
    local given
    local setup = require('mangle').setup
    require('mangle').setup = function(options) given = options end
    assert(loadstring(page:match('```lua\n(.-)\n```')))()
    require('mangle').setup = setup
    t.equal(given.cmd, { wanted['mangle.server.path'], 'lsp' })
    t.equal(given.settings.mangle.rules, wanted['mangle.rules'])
    t.equal(given.settings.mangle.hints, { arguments = wanted['mangle.hints.arguments'], types = wanted['mangle.hints.types'] })
  end)
  t.check('checkhealth', function()
    vim.cmd('edit! incident/constitution.mg')
    t.await('the files of the program', function()
      local status = t.client() and require('mangle.client').ask_now(t.client(), 'mangle/status', nil, 5000)
      return status and #status.programs > 0
    end)
    vim.cmd('checkhealth mangle')
    local report = t.text()
    for _, text in ipairs({ 'server: ' .. vim.env.MANGLE_LS, 'ABI 14', 'is attached to', 'program incident: 8 file(s)', 'incident/mangle-ls.toml' }) do
      assert(report:find(text, 1, true), text .. ' is not in:\n' .. report)
    end
    assert(not report:find('ERROR', 1, true) and not report:find('WARNING', 1, true), report)
    vim.cmd('bwipeout')
  end)
  t.check('two programs, two roots', function()
    local first = t.open('incident/constitution.mg')
    local second = t.open('guardian/constitution.mg')
    assert(first.id ~= second.id, 'one client for both')
    t.equal(vim.fs.basename(second.config.root_dir), 'guardian')
    t.await('findings in the first', function() return #vim.diagnostic.get(vim.fn.bufnr('incident/constitution.mg')) > 0 end)
    t.equal(t.findings(), {})
  end)
  t.check('findings come again when a file is read again', function()
    t.open('incident/constitution.mg')
    t.await('findings', function() return #t.findings() > 0 end)
    vim.cmd('edit!')
    t.await('findings again', function() return #t.findings() > 0 end)
  end)
  t.check('a file that cannot be written is looked at like any other', function()
    local path = 'incident/readonly.mg'
    vim.fn.writefile({ 'p(X) :- q(Y).' }, path)
    vim.uv.fs_chmod(path, 256)
    t.open(path)
    assert(vim.bo.readonly or vim.uv.getuid() == 0)
    t.await('findings', function() return #t.findings() > 0 end)
  end)
end)

-- Before the first file is opened: colours come with the parser.
t.check('the parser installs', function()
  vim.cmd.runtime('plugin/mangle.lua')
  require('mangle.parser').install()
end)
