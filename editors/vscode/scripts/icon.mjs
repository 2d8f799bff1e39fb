// Draws media/mangle.svg as media/mangle.png, 256 pixels wide: a package takes no SVG for its icon.
//   node scripts/icon.mjs
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const media = new URL("../media/", import.meta.url);
const svg = readFileSync(new URL("mangle.svg", media), "utf8");
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 128, height: 128 }, deviceScaleFactor: 2 });
await page.setContent(`<style>body { margin: 0; background: transparent }</style>${svg}`);
await page.screenshot({ path: new URL("mangle.png", media).pathname, omitBackground: true });
await browser.close();
