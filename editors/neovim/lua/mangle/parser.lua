-- The tree-sitter parser and its queries. Their one source is the grammar's folder; `install` builds
-- the parser from there and copies the queries to where Neovim looks for them.
local of = require('mangle.client')
local M = {}

local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
local site = vim.fs.joinpath(vim.fn.stdpath('data'), 'site')

--- Colours a buffer, if a parser is installed; of one that does not load it is said how to mend it.
function M.highlight(buffer)
  if #vim.api.nvim_get_runtime_file('parser/mangle.*', false) == 0 then return end
  local started, problem = pcall(vim.treesitter.start, buffer, 'mangle')
  if not started then
    vim.notify_once(("mangle: the parser does not load, ':Mangle parser' builds it again: %s"):format(problem), vim.log.levels.WARN)
  end
end

--- Builds and installs; raises an error that says what went wrong.
--- @param grammar? string folder of tree-sitter-mangle; by default the one in the repository that this plugin is part of
function M.install(grammar)
  grammar = grammar or vim.fs.joinpath(vim.fs.normalize(here .. '/../../../..'), 'tree-sitter-mangle')
  local sources = vim.fn.glob(grammar .. '/src/*.c', true, true)
  if #sources == 0 then error(('no grammar in %s: pass the folder of tree-sitter-mangle'):format(grammar), 0) end
  local parser, queries = vim.fs.joinpath(site, 'parser'), vim.fs.joinpath(site, 'queries', 'mangle')
  vim.fn.mkdir(parser, 'p')
  vim.fn.mkdir(queries, 'p')
  local compiler = vim.env.CC or 'cc'
  local command = { compiler, '-shared', '-fPIC', '-O2', '-I', grammar .. '/src', '-o', parser .. '/mangle.so' }
  if vim.fn.executable(compiler) == 0 then error(('no C compiler: %s (set CC)'):format(compiler), 0) end
  local built = vim.system(vim.list_extend(command, sources), { text = true }):wait()
  if built.code ~= 0 then error('the parser does not compile:\n' .. built.stderr, 0) end
  for _, query in ipairs(vim.fn.glob(grammar .. '/queries/*.scm', true, true)) do
    assert(vim.uv.fs_copyfile(query, vim.fs.joinpath(queries, vim.fs.basename(query))))
  end
  of.say(('parser and queries installed in %s; restart Neovim to use them'):format(site))
end

return M
