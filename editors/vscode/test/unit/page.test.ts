// The page of a panel: nothing from elsewhere, nothing that runs but ours.

import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../../src/panels/page.ts";

const html = page({ source: "vscode-resource:", script: "vscode-resource:/a.js?x=1&y=2", style: "vscode-resource:/a.css", nonce: "n0nce", title: 'a "<b>"' });

test("the content policy", () => {
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1];
  assert.equal(policy, "default-src 'none'; style-src vscode-resource:; script-src 'nonce-n0nce'; base-uri 'none'; form-action 'none'");
});

test("one script, with the nonce, and nothing inline", () => {
  assert.deepEqual(html.match(/<script[^>]*>/g), ['<script nonce="n0nce" src="vscode-resource:/a.js?x=1&amp;y=2">']);
  assert.doesNotMatch(html, /<style|https?:|\son\w+=|style="/);
});

test("what is put in is text", () => {
  assert.match(html, /<title>a &quot;&lt;b&gt;&quot;<\/title>/);
});

test("who waits is told for what", () => {
  assert.match(html, /<main id="main" aria-busy="true"><p class="note waiting">Waiting for the server\./);
});
