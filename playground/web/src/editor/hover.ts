// What the server says of the place below the pointer.

import { hoverTooltip } from "@codemirror/view";
import { placeOf, shownDocument } from "./document.ts";
import { render } from "./markup.ts";
import { toOffset } from "../lsp/positions.ts";
import type { Hover } from "../lsp/types.ts";

export const hover = hoverTooltip(async (view, offset) => {
  const [place, shown] = [placeOf(view, offset), view.state.facet(shownDocument)];
  if (place === undefined || shown === undefined) return null;
  const { doc } = view.state;
  const answer = await shown.client().request<Hover | null>("textDocument/hover", place).catch(() => null);
  if (answer === null || view.state.doc !== doc) return null;
  const dom = document.createElement("div");
  dom.className = "hover";
  dom.append(render(answer.contents.value));
  const { range } = answer;
  return { pos: range ? toOffset(doc, range.start) : offset, ...(range && { end: toOffset(doc, range.end) }), create: () => ({ dom }) };
}, { hoverTime: 250 });
