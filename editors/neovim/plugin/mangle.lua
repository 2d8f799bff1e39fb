-- File types and commands; nothing here is slow and nothing starts a program.
vim.filetype.add({
  extension = { mg = 'mangle', gl = 'mangle' },
  pattern = { ['.*%.mg'] = { 'mangle', { priority = 10 } } }, -- 0.10 has a pattern of its own: Modula-3
})

vim.api.nvim_create_user_command('MangleInstallParser', function(command)
  local done, problem = pcall(require('mangle.parser').install, command.args ~= '' and command.args or nil)
  if not done then vim.notify('mangle: ' .. problem, vim.log.levels.ERROR) end
end, { nargs = '?', complete = 'dir', desc = 'Build the Mangle parser and copy its queries (argument: folder of tree-sitter-mangle)' })

vim.api.nvim_create_user_command('MangleChannels', function() require('mangle.channels').show() end, {
  desc = 'Show what a transcript showed and what it told the kernel, side by side',
})
vim.lsp.handlers['mangle/virtualDocumentChanged'] = function(problem, params, context)
  local of = vim.startswith(params.uri, 'mangle-split:') and 'mangle.channels' or 'mangle.previews'
  require(of).changed(problem, params, context)
end

-- What the server would only show in a message.
vim.lsp.commands['mangle.preview'] = function(...) require('mangle.previews').preview(...) end
vim.lsp.commands['mangle.query'] = function(...) require('mangle.query').query(...) end
vim.lsp.commands['mangle.copyQuery'] = function(...) require('mangle.query').copy(...) end
vim.lsp.commands['mangle.copyRepair'] = function(...) require('mangle.query').repair(...) end
