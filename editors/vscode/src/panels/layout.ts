// Where the boxes of a graph stand: in columns, who asks to the left of what is asked for, with few crossings.
// Knows neither VS Code nor a page, so that it can be tested alone.

/** What is laid out: boxes by their widths, arrows by the numbers of boxes. */
export interface Drawing {
  widths: number[];
  arrows: { from: number; to: number; recursive: boolean }[];
}

/** A box, by its left upper corner. */
export interface Box {
  x: number;
  y: number;
  width: number;
}

export interface Layout {
  boxes: Box[];
  width: number;
  height: number;
}

export const HEIGHT = 28;
const GAP = 12;
const BETWEEN = 64;
const MARGIN = 16;

/** Lays out a graph. Arrows of a circle do not count for columns: the rest goes from left to right. */
export function layout(drawing: Drawing): Layout {
  const columns = inOrder(drawing, columnsOf(drawing));
  const boxes: Box[] = drawing.widths.map((width) => ({ x: 0, y: 0, width }));
  const height = Math.max(0, ...columns.map((column) => column.length * (HEIGHT + GAP) - GAP));
  let x = MARGIN;
  for (const column of columns) {
    const width = Math.max(...column.map((at) => drawing.widths[at] ?? 0));
    const top = MARGIN + (height - (column.length * (HEIGHT + GAP) - GAP)) / 2;
    column.forEach((at, row) => (boxes[at] = { x, y: top + row * (HEIGHT + GAP), width: drawing.widths[at] ?? 0 }));
    x += width + BETWEEN;
  }
  straighten(drawing, columns, boxes);
  const top = Math.min(...boxes.map(({ y }) => y));
  for (const box of boxes) box.y += MARGIN - top;
  const bottom = Math.max(0, ...boxes.map(({ y }) => y + HEIGHT));
  return { boxes, width: Math.max(MARGIN, x - BETWEEN) + MARGIN, height: bottom + MARGIN };
}

/** The boxes of each column: one to the right of all that ask for it. */
function columnsOf({ widths, arrows }: Drawing): number[][] {
  const forward = arrows.filter(({ from, to, recursive }) => !recursive && from !== to);
  const column = widths.map(() => 0);
  const waits = widths.map(() => 0);
  for (const { to } of forward) waits[to] = (waits[to] ?? 0) + 1;
  const next = new Map<number, number[]>();
  for (const { from, to } of forward) next.set(from, [...(next.get(from) ?? []), to]);
  const ready = widths.flatMap((_, at) => (waits[at] === 0 ? [at] : []));
  for (let at = ready.pop(); at !== undefined; at = ready.pop()) {
    for (const to of next.get(at) ?? []) {
      column[to] = Math.max(column[to] ?? 0, (column[at] ?? 0) + 1);
      waits[to] = (waits[to] ?? 0) - 1;
      if (waits[to] === 0) ready.push(to);
    }
  }
  pullRight(column, forward, next);
  const columns: number[][] = [];
  column.forEach((of, at) => (columns[of] ??= []).push(at));
  return columns.filter((list) => list !== undefined && list.length > 0);
}

/** Boxes nobody asks for move towards what they ask for: their arrows get short. */
function pullRight(column: number[], forward: { from: number; to: number }[], next: Map<number, number[]>): void {
  const asked = new Set(forward.map(({ to }) => to));
  column.forEach((_, at) => {
    const targets = next.get(at) ?? [];
    if (!asked.has(at) && targets.length > 0) column[at] = Math.min(...targets.map((to) => column[to] ?? 0)) - 1;
  });
}

/** Sorts each column by where the neighbours of its boxes are, back and forth a few times. */
function inOrder({ widths, arrows }: Drawing, columns: number[][]): number[][] {
  const place = widths.map(() => 0);
  const remember = (): void => columns.forEach((column) => column.forEach((at, row) => (place[at] = row / Math.max(1, column.length))));
  const around = neighbours(widths.length, arrows);
  remember();
  for (let round = 0; round < 8; round++) {
    const order = round % 2 === 0 ? columns : [...columns].reverse();
    for (const column of order) {
      const wish = new Map(column.map((at) => [at, middle((around[at] ?? []).map((other) => place[other] ?? 0), place[at] ?? 0)]));
      column.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0));
      column.forEach((at, row) => (place[at] = row / Math.max(1, column.length)));
    }
  }
  return columns;
}

/** Moves boxes towards the height of their neighbours, as far as there is room. */
function straighten({ widths, arrows }: Drawing, columns: number[][], boxes: Box[]): void {
  const around = neighbours(widths.length, arrows);
  for (let round = 0; round < 12; round++) {
    const order = round % 2 === 0 ? columns : [...columns].reverse();
    for (const column of order) {
      const wishes = column.map((at) => middle((around[at] ?? []).map((other) => boxes[other]?.y ?? 0), boxes[at]?.y ?? 0));
      spread(wishes).forEach((y, row) => {
        const box = boxes[column[row] ?? 0];
        if (box !== undefined) box.y = y;
      });
    }
  }
}

/** The nearest heights to those that are wished for, in their order, that leave room for each box. */
function spread(wishes: number[]): number[] {
  // Blocks of boxes that touch each other, each where its boxes wish it on average.
  const blocks: { top: number; count: number }[] = [];
  for (const wish of wishes) {
    let block = { top: wish, count: 1 };
    for (let last = blocks.at(-1); last !== undefined && last.top + last.count * (HEIGHT + GAP) > block.top; last = blocks.at(-1)) {
      blocks.pop();
      const count = last.count + block.count;
      const top = (last.top * last.count + (block.top - last.count * (HEIGHT + GAP)) * block.count) / count;
      block = { top, count };
    }
    blocks.push(block);
  }
  return blocks.flatMap(({ top, count }) => Array.from({ length: count }, (_, row) => top + row * (HEIGHT + GAP)));
}

function neighbours(count: number, arrows: Drawing["arrows"]): number[][] {
  const around: number[][] = Array.from({ length: count }, () => []);
  for (const { from, to } of arrows) {
    if (from === to) continue;
    around[from]?.push(to);
    around[to]?.push(from);
  }
  return around;
}

/** The median; `otherwise` of nothing. */
function middle(numbers: number[], otherwise: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  if (sorted.length === 0) return otherwise;
  return sorted.length % 2 === 1 ? (sorted[half] ?? otherwise) : ((sorted[half - 1] ?? 0) + (sorted[half] ?? 0)) / 2;
}
