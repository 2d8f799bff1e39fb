// The page that every panel starts from: nothing in it but a script and a style of ours. What is shown comes by messages, so that a panel
// keeps its scroll when it changes.
// Knows nothing of VS Code, so that it can be tested alone.

export interface Page {
  /** Where our files come from, as VS Code says it for the content policy. */
  source: string;
  /** The address of the script. */
  script: string;
  /** The address of the style. */
  style: string;
  /** A word that nobody can guess. */
  nonce: string;
  title: string;
}

/** The page. Nothing is loaded but what it names, nothing runs but its script, and nothing is sent anywhere. */
export function page({ source, script, style, nonce, title }: Page): string {
  const policy = [
    "default-src 'none'",
    `style-src ${source}`,
    `script-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="stylesheet" href="${escaped(style)}">
</head>
<body>
<main id="main" aria-busy="true"><p class="note waiting">Waiting for the server. The item mangle-ls in the status bar shows its state.</p></main>
<script nonce="${nonce}" src="${escaped(script)}"></script>
</body>
</html>
`;
}

/** A text as it stands in HTML. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
