// The panels in light, dark and high contrast: everything in them can be read.

/** What contrast letters have at least, as the accessibility guidelines of the web want it. */
const LEAST = 4.5;

/** Letters whose contrast is too low, in a frame. */
function unreadable(least) {
  const numbers = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const over = ([r, g, b, a = 1], [br, bg, bb]) => [r * a + br * (1 - a), g * a + bg * (1 - a), b * a + bb * (1 - a)];
  const light = (channels) => {
    const [r, g, b] = channels.map((value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const layers = [];
    for (let at = element; at !== null; at = at.parentElement) layers.unshift(numbers(getComputedStyle(at).backgroundColor));
    return layers.reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const bad = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "");
    if (!own || element.tagName === "title" || element.checkVisibility?.() === false) continue;
    const box = element.closest(".node")?.querySelector("rect");
    const back = box ? over(numbers(getComputedStyle(box).fill), behind(document.body)) : behind(element);
    const style = getComputedStyle(element);
    const front = over(numbers(element.namespaceURI.endsWith("svg") ? style.fill : style.color), back);
    const [a, b] = [light(front), light(back)].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < least) bad.push(`${element.tagName}.${element.getAttribute("class") ?? ""} "${element.textContent.slice(0, 20)}" ${contrast.toFixed(1)}`);
  }
  return bad;
}

const THEMES = { light: "Default Light Modern", dark: "Default Dark Modern", "high-contrast": "Default High Contrast", "high-contrast-light": "Default High Contrast Light" };

export default {
  files: { guardian: ".", "jailbreak/session.piggyback.jsonl": "session.piggyback.jsonl", prompts: "prompts" },
  async run(bench) {
    const panels = [
      ["prompt", "prompts/fix-auth.kernel.mg", "Mangle: Preview Prompt", "details.section"],
      ["graph", "constitution.mg", "Mangle: Show Dependency Graph", ".canvas svg .node"],
      ["report", "session.piggyback.jsonl", "Mangle: Replay Transcript", ".report .turn"],
    ];
    for (const [theme, name] of Object.entries(THEMES)) {
      bench.code.set({ "workbench.colorTheme": name });
      await bench.load();
      await bench.see(bench.locator(".monaco-workbench"), "the window");
      for (const [panel, file, command, selector] of panels) {
        await bench.check(`${panel}, ${theme}`, async () => {
          await bench.command("View: Close All Editors");
          await bench.open(file, panel === "graph" ? "blocked_action(" : "");
          await bench.command(command);
          if (panel === "prompt") await (await bench.see(bench.locator(".quick-input-list .monaco-list-row", { hasText: "fix-auth" }), "the choice")).click();
          const frame = await bench.panel(selector);
          await bench.screenshot(`${panel}-${theme}`);
          const bad = await frame.evaluate(unreadable, LEAST);
          if (bad.length > 0) throw new Error(`hard to read: ${bad.slice(0, 8).join("; ")}`);
        });
      }
    }
  },
};
