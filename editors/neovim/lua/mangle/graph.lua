-- `:Mangle graph`: what a predicate rests on and what rests on it, a line a place, in a window of its own.
local of = require('mangle.client')
local panel = require('mangle.panel')
local M = {}

local WORDS = { negated = 'not ', aggregated = 'count of ', positive = '' }

--- Lines for the edges of one direction; `places` gets where each stands.
local function edges_of(program, id, direction, lines, places)
  local from, to = direction == 'uses' and 'from' or 'to', direction == 'uses' and 'to' or 'from'
  for _, edge in ipairs(program.edges) do
    if edge[from] == id then
      for at, where in ipairs(edge.where) do
        local file = vim.fs.basename(where.file)
        local said = at == 1 and WORDS[edge.kind] .. edge[to] .. (edge.recursive and ', around a circle' or '') or ''
        table.insert(lines, ('    %-44s %s:%d'):format(said, file, where.line))
        places[#lines] = where
      end
    end
  end
end

local function written(graph, is_asked)
  local lines, places = {}, {}
  for _, program in ipairs(graph.programs) do
    for _, predicate in ipairs(program.predicates) do
      if is_asked(predicate) then
        table.insert(lines, ('%s  %d rules, %d facts, stratum %d'):format(predicate.id, predicate.rules, predicate.facts, predicate.stratum))
        if type(predicate.where) == 'table' then places[#lines] = predicate.where end
        for _, direction in ipairs({ 'uses', 'users' }) do
          table.insert(lines, direction == 'uses' and '  queries' or '  is queried by')
          edges_of(program, predicate.id, direction, lines, places)
          if lines[#lines]:match('^  %a') then lines[#lines] = nil end
        end
      end
    end
  end
  return lines, places
end

--- Shows the surroundings of a predicate, `name` or `name/arity`; without one, of that under the cursor, else of all of the file's programs.
function M.show(wanted)
  local client = of.wanted(0)
  if not client then return end
  local under = vim.fn.expand('<cword>')
  of.ask(client, 'mangle/graph', { uri = vim.uri_from_bufnr(0) }, function(graph)
    local is_known = function(name)
      return vim.iter(graph.programs):any(function(program)
        return vim.iter(program.predicates):any(function(predicate) return predicate.name == name or predicate.id == name end)
      end)
    end
    if wanted ~= '' and not is_known(wanted) then return of.say(('nobody mentions %s'):format(wanted), vim.log.levels.WARN) end
    local of_one = wanted ~= '' and wanted or is_known(under) and under
    local lines, places = written(graph, function(predicate)
      return not of_one or predicate.name == of_one or predicate.id == of_one
    end)
    panel.show('graph', client, lines, { split = 'rightbelow vnew', places = places })
  end)
end

return M
