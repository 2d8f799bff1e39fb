// The output of a command as elements: its colours, and links to the places that it names.

/** What a link to `name:line:column` or `name:line` does. */
export type OpenPlace = (name: string, line: number, column: number) => void;

const PLACE = /([\w./@+-]+):(\d+)(?::(\d+))?/g;

export function render(text: string, isFile: (name: string) => boolean, open: OpenPlace): DocumentFragment {
  const made = document.createDocumentFragment();
  let classes: string[] = [];
  let from = 0;
  const add = (piece: string) => {
    if (piece === "") return;
    const span = document.createElement("span");
    if (classes.length > 0) span.className = classes.join(" ");
    span.append(withLinks(piece, isFile, open));
    made.append(span);
  };
  for (const found of text.matchAll(/\x1b\[([\d;]*)m/g)) {
    add(text.slice(from, found.index));
    from = found.index + found[0].length;
    for (const code of (found[1] || "0").split(";")) classes = code === "0" ? [] : [...classes.filter((one) => !isColour(one) || !isColour(`sgr-${code}`)), `sgr-${code}`];
  }
  add(text.slice(from));
  return made;
}

function isColour(name: string): boolean {
  return /^sgr-(3|9)\d$/.test(name);
}

function withLinks(text: string, isFile: (name: string) => boolean, open: OpenPlace): DocumentFragment {
  const made = document.createDocumentFragment();
  let from = 0;
  for (const found of text.matchAll(PLACE)) {
    const [whole, name = "", line = "", column = "1"] = found;
    if (!isFile(name)) continue;
    made.append(text.slice(from, found.index));
    const link = document.createElement("button");
    link.className = "place";
    link.textContent = whole;
    link.onclick = () => open(name, Number(line), Number(column));
    made.append(link);
    from = found.index + whole.length;
  }
  made.append(text.slice(from));
  return made;
}
