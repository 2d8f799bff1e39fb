-- `:Mangle schema [TARGET]`: the schema or grammar of the replies that the declarations of this policy allow, in a buffer that is not saved.
local of = require('mangle.client')
local M = {}

--- The command of the server: without a target the list of them, else the text.
local function request(buffer, target)
  local argument = { uri = vim.uri_from_bufnr(buffer), quiet = true, target = target }
  return { command = 'mangle.grammar', arguments = { argument } }
end

--- The names of the targets, for completion.
function M.targets()
  local client = of.of(0)
  local answer = client and of.ask_now(client, 'workspace/executeCommand', request(0), 2000)
  return vim.tbl_map(function(target) return target.name end, answer and answer.targets or {})
end

local function open(text)
  vim.cmd('rightbelow vnew')
  vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile = 'nofile', 'wipe', false
  vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(text, '\n', { trimempty = true }))
  vim.bo.filetype = vim.startswith(text, '{') and 'json' or ''
end

--- Shows it for a target; without one, the person chooses.
function M.show(target)
  local client, buffer = of.wanted(0), vim.api.nvim_get_current_buf()
  if not client then return end
  local function generate(name)
    of.ask(client, 'workspace/executeCommand', request(buffer, name), function(answer)
      if type(answer) ~= 'table' or type(answer.text) ~= 'string' then return end
      open(answer.text)
      if type(answer.report) == 'string' then of.say(answer.report) end
    end)
  end
  if target and target ~= '' then return generate(target) end
  of.ask(client, 'workspace/executeCommand', request(buffer), function(answer)
    local targets = type(answer) == 'table' and answer.targets or {}
    local function format(one) return ('%s: %s'):format(one.name, one.readers) end
    vim.ui.select(targets, { prompt = 'Target:', format_item = format }, function(chosen)
      if chosen then generate(chosen.name) end
    end)
  end)
end

return M
