-- Where the next line begins: a statement at the margin, what belongs to it further in. The formatter is exact; this is for typing.
local M = {}

--- A line without its comment and its strings, which can have any character in them.
local function bare(line)
  line = line:gsub('\\.', ''):gsub('"[^"]*"', ''):gsub("'[^']*'", ''):gsub('`[^`]*`', '')
  return vim.trim((line:gsub('#.*$', '')))
end

--- For 'indentexpr': the columns of a line.
--- @param number integer of the line, from 1
function M.columns(number)
  local line = vim.trim(vim.fn.getline(number))
  local above = number - 1
  while above > 0 and bare(vim.fn.getline(above)) == '' do above = above - 1 end
  if above == 0 then return 0 end
  local before = bare(vim.fn.getline(above))
  -- A bracket that opens a line's end is closed where that line began.
  if line:match('^[%)%]}]') and before:match('[%(%[{]$') then return vim.fn.indent(above) end
  if before:match('[.!]$') then return 0 end
  if before:match(':%-$') or before:match('⟸$') or before:match('[%(%[{]$') then return vim.fn.indent(above) + vim.fn.shiftwidth() end
  return vim.fn.indent(above) > 0 and vim.fn.indent(above) or vim.fn.shiftwidth()
end

return M
