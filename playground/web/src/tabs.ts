// A row of tabs.

export interface Tab {
  readonly id: string;
  readonly title: string;
  /** A number beside the title, unless it is 0. */
  readonly count?: number;
}

export interface TabEvents {
  open(id: string): void;
  /** Tabs can be closed. */
  close?(id: string): void;
  /** Tabs can be added. */
  add?(name: string): void;
}

export function tabs(row: HTMLElement, all: readonly Tab[], selected: string, events: TabEvents): void {
  const had = row.contains(document.activeElement);
  row.replaceChildren(...all.map((tab) => one(tab, tab.id === selected, all.length > 1, events)));
  const { add } = events;
  if (add !== undefined) row.append(adding(add));
  if (had) row.querySelector<HTMLElement>("[aria-selected=true]")?.focus();
  row.querySelector(".selected")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  row.onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined || (event.target as HTMLElement).tagName === "INPUT") return;
    const at = all.findIndex((tab) => tab.id === selected);
    const next = all[(at + step + all.length) % all.length];
    if (next !== undefined) events.open(next.id);
  };
}

function one({ id, title, count = 0 }: Tab, isSelected: boolean, canClose: boolean, events: TabEvents): HTMLElement {
  const tab = document.createElement("span");
  tab.className = isSelected ? "tab selected" : "tab";
  const button = tab.appendChild(document.createElement("button"));
  button.setAttribute("role", "tab");
  button.setAttribute("aria-selected", String(isSelected));
  button.tabIndex = isSelected ? 0 : -1;
  button.textContent = title;
  button.onclick = () => events.open(id);
  if (count > 0) {
    const badge = button.appendChild(document.createElement("span"));
    badge.className = "count";
    badge.textContent = String(count);
    badge.title = `${count} findings`;
  }
  const { close } = events;
  if (close !== undefined && canClose && isSelected) {
    const cross = tab.appendChild(document.createElement("button"));
    cross.className = "close";
    cross.textContent = "×";
    cross.title = `Remove ${title}`;
    cross.onclick = () => close(id);
  }
  return tab;
}

function adding(add: (name: string) => void): HTMLElement {
  const form = document.createElement("form");
  form.className = "add";
  const input = form.appendChild(document.createElement("input"));
  input.placeholder = "+ new file";
  input.setAttribute("aria-label", "Name of a new file");
  input.spellcheck = false;
  form.onsubmit = (event) => {
    event.preventDefault();
    if (input.value.trim() !== "") add(input.value.trim());
  };
  return form;
}
