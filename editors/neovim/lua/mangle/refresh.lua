-- When figures change (evaluations, replays), the server asks the client to ask for lenses again. Neovim does not offer that in all versions, so it
-- is offered here, for files in which lenses are shown.
local M = {}

local METHOD = 'workspace/codeLens/refresh'

local function lenses(client)
  for buffer in pairs(client.attached_buffers) do
    if #vim.lsp.codelens.get(buffer) > 0 then vim.lsp.codelens.refresh({ bufnr = buffer }) end
  end
end

--- Registers the handler, unless Neovim has its own.
function M.register()
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
