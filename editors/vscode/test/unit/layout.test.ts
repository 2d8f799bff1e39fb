// Where the boxes of a graph stand.

import assert from "node:assert/strict";
import { test } from "node:test";
import { HEIGHT, layout } from "../../src/panels/layout.ts";

function laidOut(count: number, arrows: [number, number, boolean?][]): ReturnType<typeof layout> {
  const widths = Array.from({ length: count }, () => 100);
  return layout({ widths, arrows: arrows.map(([from, to, recursive = false]) => ({ from, to, recursive })) });
}

function overlaps({ boxes }: ReturnType<typeof layout>): string[] {
  const pairs = boxes.flatMap((a, i) => boxes.slice(i + 1).map((b, j) => ({ a, b, name: `${i} and ${i + 1 + j}` })));
  const isOver = pairs.filter(({ a, b }) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + HEIGHT - 0.01 && b.y < a.y + HEIGHT - 0.01);
  return isOver.map(({ name }) => name);
}

test("who asks stands to the left", () => {
  const { boxes } = laidOut(4, [[0, 1], [1, 2], [0, 2], [3, 2]]);
  const xs = boxes.map(({ x }) => x);
  assert.ok((xs[0] ?? 0) < (xs[1] ?? 0) && (xs[1] ?? 0) < (xs[2] ?? 0), String(xs));
  assert.equal(xs[3], xs[1]); // next to what it asks for
});

test("circles end, and their boxes keep apart", () => {
  const drawn = laidOut(4, [[0, 1, true], [1, 0, true], [1, 2], [2, 2, true], [3, 3, true]]);
  assert.deepEqual(overlaps(drawn), []);
});

test("a fan has no crossing that it could do without", () => {
  const { boxes } = laidOut(6, [[0, 5], [1, 4], [2, 3]]);
  const order = (ats: number[]): number[] => [...ats].sort((a, b) => (boxes[a]?.y ?? 0) - (boxes[b]?.y ?? 0));
  assert.deepEqual(order([0, 1, 2]).map((at) => 5 - at), order([3, 4, 5]));
});

test("many boxes: inside of the picture, none upon another", () => {
  const arrows = Array.from({ length: 300 }, (_, at): [number, number] => [(at * 7) % 100, ((at * 7) % 100) + 1 + ((at * 13) % 40)]);
  const drawn = laidOut(141, arrows);
  assert.deepEqual(overlaps(drawn), []);
  assert.ok(drawn.boxes.every(({ x, y, width }) => x >= 0 && y >= 0 && x + width <= drawn.width && y + HEIGHT <= drawn.height));
});

test("nothing to draw", () => {
  assert.deepEqual(laidOut(0, []).boxes, []);
});
