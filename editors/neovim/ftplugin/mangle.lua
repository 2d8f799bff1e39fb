-- What a buffer with Mangle in it needs: comments and, once the parser is installed, colours.
vim.bo.commentstring = '# %s'
vim.bo.comments = ':#'

require('mangle.parser').highlight(vim.api.nvim_get_current_buf())
