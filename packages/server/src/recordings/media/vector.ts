import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runGuarded } from './guarded-process.ts';
import { CHILD_HEAP_MB, CHILD_MEMORY_BYTES } from './limits.ts';

/** A logo as text; an honest one has a tenth of it. */
const VECTOR_MAX_BYTES = 500_000;
/** Twice what pages show, for screens with small dots; a logo that is drawn anew from it is as sharp as it can be. */
const DRAWN = { width: 800, height: 320 } as const;
const MIN_SIDE = 16;
const LIMITS = {
  timeoutMs: 15_000,
  cpuS: 5,
  fileBytes: 20_000_000,
  memoryBytes: CHILD_MEMORY_BYTES,
  niceness: 0,
} as const;
/** Of 64 KiB: what the drawing program may have for itself. */
const MEMORY_PAGES = 4_096;
const CHILD = fileURLToPath(new URL('vector.child.ts', import.meta.url));

type Outcome =
  | { readonly kind: 'drawn'; readonly isEmpty: boolean; readonly width: number; readonly height: number }
  | { readonly kind: 'refused' };

/** What may stand before a drawing. */
const BEFORE = /\ufeff|\s+|<\?xml[^>]*>|<!--[\s\S]*?-->|<!DOCTYPE[^>[]*(?:\[[\s\S]*?\])?>/iy;
const DRAWING = /<svg[\s>/]/iy;

/**
 * By its first mark; what only looks like one is refused when it is drawn. One part after the other: an expression of all of
 * them together would try every way to end a comment, for longer than anybody lives.
 */
export function looksLikeVector(file: Buffer): boolean {
  const text = file.toString('utf8', 0, 4_000);
  BEFORE.lastIndex = 0;
  let at = 0;
  while (BEFORE.test(text)) at = BEFORE.lastIndex;
  DRAWING.lastIndex = at;
  return DRAWING.test(text);
}

/** By hand, since what looks for the end of each comment that has none reads the whole file for each. */
function withoutComments(text: string): string {
  const kept: string[] = [];
  let at = 0;
  for (;;) {
    const from = text.indexOf('<!--', at);
    const end = from < 0 ? -1 : text.indexOf('-->', from + 4);
    if (end < 0) return kept.join('') + text.slice(at);
    kept.push(text.slice(at, from));
    at = end + 3;
  }
}

const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/<!ENTITY/i, 'defines entities: save it as a plain SVG'],
  [
    /(?:href\s*=\s*["']|url\(\s*["']?|@import\s+["']?)\s*(?!\s|#|data:image\/(?:png|jpeg|gif|webp)[;,])[^"')\s]/i,
    'points to something outside of it: put the picture itself into the file',
  ],
  [/<(?:[a-z]+:)?(?:text|tspan)[\s>]/i, 'holds text that needs a font: turn the letters into outlines first'],
  [/<(?:[a-z]+:)?(?:foreignObject|iframe)[\s>]/i, 'holds parts of a web page: save it as a plain SVG'],
];

/** What is wrong completes a sentence that begins with the name of the file. Scripts and animations are left out of the picture. */
export async function drawVector(file: Buffer): Promise<{ picture: Buffer } | { refused: string }> {
  if (file.length > VECTOR_MAX_BYTES) {
    return { refused: `is larger than ${VECTOR_MAX_BYTES / 1000} KB: simplify it, or use a PNG` };
  }
  const text = withoutComments(file.toString('utf8'));
  // The signs may look for spaces twice in a row: a long run of them would be tried in every way to part it.
  const narrow = text.replaceAll(/\s+/g, ' ');
  const [, reason] = REFUSED.find(([sign]) => sign.test(narrow)) ?? [];
  if (reason !== undefined) return { refused: reason };
  const folder = await mkdtemp(join(tmpdir(), 'foreword-vector-'));
  try {
    return await drawIn(folder, text);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function drawIn(folder: string, text: string): Promise<{ picture: Buffer } | { refused: string }> {
  const [source, target] = [join(folder, 'drawing.svg'), join(folder, 'drawing.png')];
  await writeFile(source, text);
  let outcome: Outcome | undefined;
  const heap = [`--max-old-space-size=${CHILD_HEAP_MB}`, `--wasm-max-mem-pages=${MEMORY_PAGES}`];
  await runGuarded({
    command: process.execPath,
    args: [...heap, CHILD, source, target, String(DRAWN.width), String(DRAWN.height)],
    cwd: folder,
    ...LIMITS,
    signal: new AbortController().signal,
    onLine: (line) => {
      outcome = JSON.parse(line) as Outcome;
    },
  }).catch(() => undefined);
  // No outcome: it took too long, or died of it.
  if (outcome === undefined) return { refused: 'is too much to draw: simplify it, or use a PNG' };
  if (outcome.kind === 'refused') return { refused: 'is not an SVG that can be drawn: save it anew, or use a PNG' };
  if (outcome.isEmpty) return { refused: 'shows nothing' };
  if (Math.min(outcome.width, outcome.height) < MIN_SIDE) return { refused: 'is too long and thin to be a logo' };
  return { picture: await readFile(target) };
}
