// Markdown of the server as elements: paragraphs, lists, code, emphasis, links. No HTML of a text becomes HTML of the page.

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\[([^\]]+)\]\(([^)\s]+)\)|\\([\\`*_{}[\]()#+\-.!<>|~])/g;

export function render(markdown: string): HTMLElement {
  const root = document.createElement("div");
  root.className = "markup";
  let code: string[] | undefined;
  let paragraph: string[] = [];
  let list: HTMLElement | undefined;
  const flush = () => {
    if (paragraph.length > 0) root.append(element("p", paragraph.join(" ")));
    paragraph = [];
  };
  for (const line of markdown.split("\n")) {
    if (/^\s*```/.test(line)) {
      if (code === undefined) flush();
      else root.append(block(code));
      code = code === undefined ? [] : undefined;
    } else if (code !== undefined) {
      code.push(line);
    } else if (/^\s*[-*] /.test(line)) {
      flush();
      list ??= root.appendChild(document.createElement("ul"));
      list.append(element("li", line.replace(/^\s*[-*] /, "")));
      continue;
    } else if (/^\s*(---+|\*\*\*+)\s*$/.test(line)) {
      flush();
      root.append(document.createElement("hr"));
    } else if (/^#+ /.test(line)) {
      flush();
      root.append(element("strong", line.replace(/^#+ /, "")));
    } else if (line.trim() === "") {
      flush();
    } else {
      paragraph.push(line.trim());
    }
    list = undefined;
  }
  if (code !== undefined) root.append(block(code));
  flush();
  return root;
}

function block(lines: readonly string[]): HTMLElement {
  const pre = document.createElement("pre");
  pre.textContent = lines.join("\n");
  return pre;
}

function element(tag: string, text: string): HTMLElement {
  const made = document.createElement(tag);
  let from = 0;
  for (const found of text.matchAll(INLINE)) {
    made.append(text.slice(from, found.index));
    made.append(inline(found));
    from = found.index + found[0].length;
  }
  made.append(text.slice(from));
  return made;
}

function inline([, code, strong, emphasis, label, target, escaped]: RegExpMatchArray): Node {
  if (code !== undefined) return filled("code", code);
  if (strong !== undefined) return filled("strong", strong);
  if (emphasis !== undefined) return filled("em", emphasis);
  if (label === undefined) return document.createTextNode(escaped ?? "");
  if (target === undefined || !/^https:\/\//.test(target)) return document.createTextNode(label);
  const link = filled("a", label) as HTMLAnchorElement;
  link.href = target;
  link.rel = "noreferrer";
  link.target = "_blank";
  return link;
}

function filled(tag: string, text: string): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}
