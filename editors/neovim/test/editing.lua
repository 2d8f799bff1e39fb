-- While one edits a policy: findings, hover, completion, fixes, rename over files, format.
local t = dofile(vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/harness.lua')

--- The text of the floating window, if there is one.
local function float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then return t.text(vim.api.nvim_win_get_buf(window)), window end
  end
end

t.run(function()
  t.open('incident/constitution.mg')
  t.check('findings', function()
    local line = t.place('not is_known(')
    local found = t.await('findings', function() return #t.findings(line) > 0 and t.findings(line) end)
    t.equal(found[1].source, 'mangle-ls')
    assert(vim.iter(found):any(function(finding) return finding.code == 'negation-spelling' or finding.code end), vim.inspect(found))
  end)
  t.check('hover, in its window', function()
    t.go('clear_action(ActionID) :-')
    vim.lsp.buf.hover()
    local shown = t.await('hover', float)
    assert(shown:find('clear_action', 1, true), shown)
    local _, window = float()
    vim.api.nvim_win_close(window, true)
  end)
  t.check('completion, in the menu', function()
    vim.cmd('normal! Gop(X) :- is_fro')
    local offered
    vim.o.completeopt = 'menuone,noselect'
    vim.api.nvim_create_autocmd('CompleteChanged', {
      once = true,
      callback = function() offered = vim.fn.complete_info({ 'items' }).items end,
    })
    vim.fn.feedkeys('A' .. vim.keycode('<C-x><C-o>'), 'n')
    -- The menu is there while Neovim waits for the next key.
    vim.fn.timer_start(3000, function() vim.fn.feedkeys(vim.keycode('<Esc>'), 'n') end)
    vim.fn.feedkeys('', 'x!')
    assert(offered and vim.iter(offered):any(function(item) return vim.startswith(item.word, 'is_frozen') end), vim.inspect(offered))
    vim.cmd('stopinsert | normal! dd')
  end)
  t.check('a quick fix changes the text', function()
    local line = t.go('not is_known(')
    t.await('a finding there', function() return #t.findings(line) > 0 end)
    vim.lsp.buf.code_action({ apply = true, context = { only = { 'quickfix' } } })
    t.await('the new text', function() return t.place('    !is_known(') == line end)
    t.await('the finding to go', function() return #t.findings(line) == 0 end)
  end)
  t.check('format', function()
    t.replace('request(ActionID, Action) :- pending_action(', 'request(  ActionID,Action):-pending_action(')
    vim.lsp.buf.format({ timeout_ms = 10000 })
    assert(t.place('request(ActionID, Action) :- pending_action('), t.text())
  end)
  t.check('rename, in all files', function()
    t.open('guardian/constitution.mg')
    t.go('is_frozen(')
    vim.lsp.buf.rename('is_icy')
    t.await('the new name here', function() return t.place('is_icy(') end)
    local schemas = vim.fn.bufadd('guardian/schemas.gl')
    vim.fn.bufload(schemas)
    assert(t.place('is_icy(', schemas), 'the Decl has the old name')
    assert(not t.place('is_frozen(') and not t.place('Decl is_frozen(', schemas), 'the old name is still there')
  end)
  t.check('a name that is taken is refused, with the reason', function()
    local before = t.text()
    t.go('is_icy(')
    vim.lsp.buf.rename('halted()')
    t.told('halted')
    t.equal(t.text(), before)
  end)
  t.check('settings reach the server', function()
    vim.cmd('edit! incident/routing.mg')
    t.await('a server', t.client)
    t.client().settings = { mangle = { rules = { ['*'] = 'off' } } }
    require('mangle.client').call(t.client(), 'notify', 'workspace/didChangeConfiguration', { settings = t.client().settings })
    t.replace(t.text():sub(1, 1), 'x ' .. t.text():sub(1, 1))
    t.await('no finding', function() return #t.findings() == 0 end)
  end)
end)
