// Elements of a page, made of texts that are never markup.

/** The element of the page with this name, which is always there. */
export function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`no element ${id}`);
  return found;
}

/** An element of HTML. Strings are text, never markup. */
export function make(name: string, attributes: Record<string, string>, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A text in which what stands in backticks is code. */
export function withCode(text: string): (Node | string)[] {
  return text.split("`").map((part, at) => (at % 2 === 1 ? make("code", {}, part) : part));
}

/** A number of things: `1 predicate`, `2 predicates`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** An element of SVG. */
export function draw(name: string, attributes: Record<string, string | number>, ...children: (Node | string)[]): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}
