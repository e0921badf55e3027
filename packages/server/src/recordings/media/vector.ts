import { readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Isolation } from '../../platform/isolation.ts';
import { NODE_FLAGS, runGuarded } from './job-runner.ts';
import { CHILD_MEMORY_BYTES } from './limits.ts';

/** Ten times the size of an ordinary logo. */
const VECTOR_MAX_BYTES = 500_000;
/** Twice the size shown on pages, so that the logo stays sharp after it is scaled down. */
const DRAWN = { width: 800, height: 320 } as const;
const MIN_SIDE = 16;
const LIMITS = {
  timeoutMs: 15_000,
  cpuS: 5,
  fileBytes: 20_000_000,
  memoryBytes: CHILD_MEMORY_BYTES,
  niceness: 0,
} as const;
/** Pages of 64 KiB for the WebAssembly renderer. */
const MEMORY_PAGES = 4_096;
/** In the npm package, it is JavaScript like this file. */
const CHILD = fileURLToPath(new URL(`vector.child${extname(import.meta.url)}`, import.meta.url));

type Outcome =
  | { readonly kind: 'drawn'; readonly isEmpty: boolean; readonly width: number; readonly height: number }
  | { readonly kind: 'refused' };

/** A byte order mark, spaces, comments and declarations that may precede the `svg` element. */
const PROLOG = /\ufeff|\s+|<\?xml[^>]*>|<!--[\s\S]*?-->|<!DOCTYPE[^>[]*(?:\[[\s\S]*?\])?>/iy;
const DRAWING = /<svg[\s>/]/iy;

/**
 * Checks only the first element; an invalid SVG is refused when it is rendered. Matches one part of the prolog at a time,
 * because a single pattern for all of it backtracks exponentially.
 */
export function looksLikeVector(file: Buffer): boolean {
  const text = file.toString('utf8', 0, 4_000);
  PROLOG.lastIndex = 0;
  let at = 0;
  while (PROLOG.test(text)) at = PROLOG.lastIndex;
  DRAWING.lastIndex = at;
  return DRAWING.test(text);
}

/** Not a regular expression: with many unclosed comments, that would scan the rest of the file for each. */
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
    'links to something outside the file: embed the picture instead',
  ],
  [/<(?:[a-z]+:)?(?:text|tspan)[\s>]/i, 'contains text that needs a font: convert the text to outlines first'],
  [/<(?:[a-z]+:)?(?:foreignObject|iframe)[\s>]/i, 'contains parts of a web page: save it as a plain SVG'],
];

/** Works in `into`. A refusal completes a sentence that starts with the file's name. Scripts and animations are ignored. */
export async function drawVector(
  file: Buffer,
  into: string,
  isolation: Isolation,
): Promise<{ picture: Buffer } | { refused: string }> {
  if (file.length > VECTOR_MAX_BYTES) {
    return { refused: `is larger than ${VECTOR_MAX_BYTES / 1000} KB: simplify it, or use a PNG` };
  }
  const text = withoutComments(file.toString('utf8'));
  // Collapses spaces: patterns with adjacent `\s*` backtrack on long runs of them.
  const narrow = text.replaceAll(/\s+/g, ' ');
  const [, reason] = REFUSED.find(([sign]) => sign.test(narrow)) ?? [];
  if (reason !== undefined) return { refused: reason };
  return drawIn(into, text, isolation);
}

async function drawIn(
  folder: string,
  text: string,
  isolation: Isolation,
): Promise<{ picture: Buffer } | { refused: string }> {
  const [source, target] = ['drawing.svg', 'drawing.png'] as const;
  await writeFile(join(folder, source), text);
  let outcome: Outcome | undefined;
  await runGuarded({
    command: process.execPath,
    args: [
      ...NODE_FLAGS,
      `--wasm-max-mem-pages=${MEMORY_PAGES}`,
      CHILD,
      source,
      target,
      String(DRAWN.width),
      String(DRAWN.height),
    ],
    cwd: folder,
    isolation,
    ...LIMITS,
    onLine: (line) => {
      outcome = JSON.parse(line) as Outcome;
    },
  }).catch(() => undefined);
  // No outcome: rendering took too long or crashed.
  if (outcome === undefined) return { refused: 'is too complex: simplify it, or use a PNG' };
  if (outcome.kind === 'refused') return { refused: 'is not a valid SVG: export it again, or use a PNG' };
  if (outcome.isEmpty) return { refused: 'is empty' };
  if (Math.min(outcome.width, outcome.height) < MIN_SIDE) return { refused: 'is too narrow for a logo' };
  return { picture: await readFile(join(folder, target)) };
}
