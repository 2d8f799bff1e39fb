// The report of a replay: the server's page in this one. What is unfolded stays unfolded when it changes.

import type { ReportOf } from "../panels/report_data.ts";
import { Host } from "./host.ts";

const host = new Host<ReportOf, string, { open: number[] }>();

/** Nothing of the kind is in the server's page; were it, it would not get in here. */
const STRANGE = "script, iframe, object, embed, link, meta, base, form, img, style";

host.start((text) => {
  const page = new DOMParser().parseFromString(text, "text/html");
  const styles = [...page.querySelectorAll("style")].map((style) => style.textContent ?? "");
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles.join("\n"));
  document.adoptedStyleSheets = [sheet];
  for (const strange of page.querySelectorAll(STRANGE)) strange.remove();
  const before = opened();
  host.main.replaceChildren(...page.body.childNodes);
  host.main.classList.add("report");
  const first = host.chosen.open ?? [];
  const details = [...host.main.querySelectorAll("details")];
  const isOpen = new Set(before ?? first);
  if (before !== undefined || host.chosen.open !== undefined) details.forEach((one, at) => (one.open = isOpen.has(at)));
  for (const one of details) one.addEventListener("toggle", () => host.choose({ open: opened() ?? [] }));
});

/** The numbers of the details that are unfolded; `undefined` before there are any. */
function opened(): number[] | undefined {
  const details = [...host.main.querySelectorAll("details")];
  return details.length === 0 ? undefined : details.flatMap((one, at) => (one.open ? [at] : []));
}
