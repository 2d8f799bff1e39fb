// Takes the pictures of the documentation in the real VS Code, each in a light and a dark theme.
//   node pictures.mjs CODE-SERVER MANGLE-LS VSIX OUTPUT [PICTURE…]
// OUTPUT gets NAME-THEME.png, or frames of an animation in NAME-THEME/. Without names all of pictures/ are taken.

import { runAll } from "./driver/run_all.mjs";
import { Camera } from "./driver/camera.mjs";

const THEMES = { light: "Default Light Modern", dark: "Default Dark Modern" };

/** A user whose window shows the text and nothing else. */
const PLAIN = {
  "breadcrumbs.enabled": false,
  "editor.cursorBlinking": "solid",
  "editor.fontSize": 14,
  "editor.guides.bracketPairs": false,
  "editor.guides.indentation": false,
  "editor.hideCursorInOverviewRuler": true,
  "editor.overviewRulerBorder": false,
  "editor.renderLineHighlight": "none",
  "editor.scrollbar.horizontal": "hidden",
  "editor.scrollbar.vertical": "hidden",
  "editor.stickyScroll.enabled": false,
  "window.commandCenter": false,
  "window.menuBarVisibility": "hidden",
  "workbench.activityBar.location": "hidden",
  "workbench.layoutControl.enabled": false,
};

/** A scenario in its themes, both if it names none. Its window is `width` × `height` pixels, each of them four in the picture. */
function variants({ name, scenario: { files, settings, themes = Object.keys(THEMES), width, height, take } }) {
  return themes.map((theme) => ({
    name: `${name}-${theme}`,
    files,
    settings: { ...PLAIN, ...settings, "workbench.colorTheme": THEMES[theme] },
    page: { viewport: { width, height }, deviceScaleFactor: 2, colorScheme: theme },
    run: (bench) => bench.check("the picture", async () => {
      await bench.load();
      // The explorer.
      await bench.press("Control+b");
      await take(bench, new Camera(bench, `${name}-${theme}`));
    }),
  }));
}

await runAll(new URL("pictures/", import.meta.url), variants);
