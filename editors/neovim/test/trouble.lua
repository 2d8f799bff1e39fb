-- A server that crashes, hangs, is too old, is missing: it is said, and the text stays.
local t = dofile(vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/harness.lua')

--- A program that answers `initialize` as this server, and then nothing.
local function mute(name, version)
  local path = vim.fn.tempname()
  local answer = vim.json.encode({ jsonrpc = '2.0', id = 1, result = { capabilities = vim.empty_dict(), serverInfo = { name = name, version = version } } })
  vim.fn.writefile({ '#!/bin/sh', ("printf 'Content-Length: %d\\r\\n\\r\\n%%s' '%s'"):format(#answer, answer), 'exec cat > /dev/null' }, path)
  vim.uv.fs_chmod(path, 448)
  return path
end

--- Which process the server of the current buffer is: the child of this one that was called with `lsp`.
local function process()
  for name in vim.fs.dir('/proc') do
    local stat = name:match('^%d+$') and io.open('/proc/' .. name .. '/stat')
    local parent = stat and (stat:read('a') or ''):match('^%d+ %(mangle%-ls%) %a (%d+)')
    if stat then stat:close() end
    if tonumber(parent) == vim.uv.os_getpid() then return tonumber(name) end
  end
end

--- Forgets what was said, then starts another program in the current buffer.
local function with(cmd)
  require('mangle.guard').stop()
  -- Those that have not answered yet, too.
  t.await('the end of the server', function() return #vim.lsp.get_clients({ name = 'mangle_ls', _uninitialized = true }) == 0 end)
  t.said = {}
  require('mangle').setup({ cmd = cmd })
  require('mangle').start_all()
end

t.run(function()
  local guard = require('mangle.guard')
  t.open('incident/constitution.mg')
  t.check('a server that crashes is started again, a few times', function()
    for crash = 1, 4 do
      local client = t.await('a server', t.client)
      t.await('findings', function() return #t.findings() > 0 end)
      vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# typed before crash ' .. crash })
      vim.uv.kill(t.await('its process', process), 'sigkill')
      if crash <= 3 then
        t.told(('restarted (%d of 3)'):format(crash))
        t.await('another server', function() return t.client() and t.client().id ~= client.id end)
      end
    end
    t.told('crashed 4 times (signal 9) and is not restarted')
    vim.wait(1500)
    assert(not t.client(), 'it was started once more')
    t.equal(vim.api.nvim_buf_get_lines(0, 0, 1, false), { '# typed before crash 4' })
  end)
  t.check(':Mangle restart tries again, and it sees the text as it is now', function()
    vim.cmd('Mangle restart')
    t.await('a server', t.client)
    t.await('findings', function() return #t.findings() > 0 end)
    local found = require('mangle.client').ask_now(t.client(), 'mangle/status', nil, 5000)
    local text = t.text() .. '\n'
    t.equal(found.documents[1].bytes, #text)
  end)
  t.check(':Mangle restart with a server that runs', function()
    local client = t.client()
    vim.cmd('Mangle restart')
    t.await('another server', function() return t.client() and t.client().id ~= client.id end)
    t.said = {}
    t.await('findings', function() return #t.findings() > 0 end)
    t.equal(t.said, {})
  end)
  t.check('a file that is opened before it is started again gets no server of its own', function()
    vim.uv.kill(t.await('its process', process), 'sigkill')
    t.told('restarted (1 of 3)')
    t.open('incident/routing.mg')
    vim.wait(1000)
    t.equal(#vim.lsp.get_clients({ name = 'mangle_ls' }), 1)
    vim.cmd.buffer('incident/constitution.mg')
  end)
  t.check('a server that hangs', function()
    guard.limits.answer, guard.limits.pause = 300, 0
    with({ mute('mangle-ls', guard.OLDEST), 'lsp' })
    t.await('a server', t.client)
    vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# typed while it hangs' })
    vim.api.nvim_exec_autocmds('TextChanged', { buffer = 0 })
    t.told('the server has not answered for')
    t.equal(vim.api.nvim_buf_get_lines(0, 0, 1, false), { '# typed while it hangs' })
  end)
  t.check('a question without an answer', function()
    require('mangle.client').limits.answer = 300
    vim.cmd('Mangle graph')
    t.told('no answer to mangle/graph')
  end)
  t.check('a server that is too old', function()
    with({ mute('mangle-ls', '0.0.9'), 'lsp' })
    t.told('the server is version 0.0.9, and this plugin requires')
  end)
  t.check('another program than the server', function()
    with({ mute('gopls', '1.0.0'), 'lsp' })
    t.told('started program is not mangle-ls')
  end)
  t.check('a program that says nothing', function()
    guard.limits.start = 300
    with({ 'sleep', '1000' })
    t.told('has not answered yet')
  end)
  t.check('a program that ends at once', function()
    with({ 'false' })
    t.told('the server ended at once (exit status 1)')
    vim.wait(2 * guard.limits.start)
    assert(not vim.iter(t.said):any(function(said) return said:find('has not answered yet', 1, true) end), table.concat(t.said, ' | '))
  end)
  t.check('a server that is missing', function()
    with({ '/nowhere/mangle-ls', 'lsp' })
    t.told("'/nowhere/mangle-ls' is not an executable program")
    vim.cmd('Mangle graph')
    t.told("':checkhealth mangle' shows the reason")
    vim.cmd('checkhealth mangle')
    assert(t.text():find("'/nowhere/mangle-ls' is not an executable program", 1, true), t.text())
  end)
end)
