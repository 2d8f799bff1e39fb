-- File types and the command `:Mangle`; nothing here is slow and nothing starts a program.
vim.filetype.add({
  extension = { mg = 'mangle', gl = 'mangle' },
  pattern = { ['.*%.mg'] = { 'mangle', { priority = 10 } } }, -- 0.10 has a pattern of its own: Modula-3
})

vim.api.nvim_create_user_command('Mangle', function(command) require('mangle.commands').run(command) end, {
  nargs = '+',
  complete = function(...) return require('mangle.commands').complete(...) end,
  desc = 'Previews, replays, queries, tests and more: see :help mangle-commands',
})

vim.api.nvim_create_user_command('MangleConversation', function(command) require('mangle.conversation').show(command.args) end, {
  nargs = '?',
  complete = 'file',
  desc = 'The transcript in this buffer, or a file, as a conversation',
})

require('mangle.refresh').register()
vim.lsp.handlers['mangle/virtualDocumentChanged'] = function(...) require('mangle.documents').changed(...) end

-- What the server would only show in a message.
vim.lsp.commands['mangle.preview'] = function(...) require('mangle.previews').preview(...) end
vim.lsp.commands['mangle.property'] = function(...) require('mangle.property').lens(...) end
vim.lsp.commands['mangle.query'] = function(...) require('mangle.query').query(...) end
vim.lsp.commands['mangle.copyQuery'] = function(...) require('mangle.query').copy(...) end
vim.lsp.commands['mangle.copyRepair'] = function(...) require('mangle.query').repair(...) end
vim.lsp.commands['mangle.replay'] = function(...) require('mangle.replay').lens(...) end
vim.lsp.commands['mangle.state'] = function(...) require('mangle.replay').lens(...) end
vim.lsp.commands['mangle.test'] = function(...) require('mangle.tests').test(...) end
