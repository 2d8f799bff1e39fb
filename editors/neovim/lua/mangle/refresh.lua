-- When figures change (evaluations, replays), the server asks the client to ask for lenses again. Neovim does not offer that in all versions, so it
-- is offered here, for files in which lenses are shown.
local M = {}

local METHOD = 'workspace/codeLens/refresh'

local function lenses(client)
  for buffer in pairs(client.attached_buffers) do
    if #vim.lsp.codelens.get(buffer) > 0 then vim.lsp.codelens.refresh({ bufnr = buffer }) end
  end
end

--- Registers the handler, unless Neovim has its own, and makes the server look at the disk when Neovim gets the focus: a list
--- without changes says that there may be some.
function M.register()
  local client = require('mangle.client')
  vim.api.nvim_create_autocmd('FocusGained', {
    group = vim.api.nvim_create_augroup('mangle_focus', {}),
    desc = 'Files may have changed on disk',
    callback = function()
      for _, running in ipairs(vim.lsp.get_clients({ name = client.NAME })) do
        client.call(running, 'notify', 'workspace/didChangeWatchedFiles', { changes = {} })
      end
    end,
  })
  vim.lsp.handlers[METHOD] = vim.lsp.handlers[METHOD] or function(_, _, context)
    local client = vim.lsp.get_client_by_id(context.client_id)
    if client then vim.schedule(function() lenses(client) end) end
    return vim.NIL
  end
end

--- Capabilities that say so, on top of others.
--- @param others? lsp.ClientCapabilities
function M.capabilities(others)
  local ours = { workspace = { codeLens = { refreshSupport = true } } }
  return vim.tbl_deep_extend('force', vim.lsp.protocol.make_client_capabilities(), others or {}, ours)
end

return M
