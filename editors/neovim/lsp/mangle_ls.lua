-- For `vim.lsp.enable('mangle_ls')`, Neovim 0.11 and newer.
return require('mangle').listed()
