-- What a buffer with Mangle in it needs: comments, indentation and, once the parser is installed, colours.
if vim.b.did_ftplugin then return end
vim.b.did_ftplugin = 1

vim.bo.commentstring = '# %s'
vim.bo.comments = ':#'
vim.bo.shiftwidth, vim.bo.expandtab = 4, true
vim.bo.indentexpr = "v:lua.require'mangle.indent'.columns(v:lnum)"
vim.bo.indentkeys = '0),0],0},o,O,!^F'
vim.b.undo_ftplugin = 'setlocal commentstring< comments< shiftwidth< expandtab< indentexpr< indentkeys<'

require('mangle.parser').highlight(vim.api.nvim_get_current_buf())
