/**
 * Writes the typeface of our pages from the npm package of the pinned version: `npm run font`.
 * With --check it compares the committed files instead. See ADR 0046.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const TOOLS = path.join(import.meta.dirname, 'tools');
const TARGET = path.join(import.meta.dirname, '../../packages/web/kit/fonts');
const SOURCE = path.join(TOOLS, 'node_modules/@fontsource-variable/figtree');
/** The characters of the subsets that the package already has; `typeface.css` repeats these ranges. */
const FILES: Record<string, string> = { latin: 'figtree.woff2', 'latin-ext': 'figtree-extended.woff2' };
/** Our pages use regular to bold. */
const WEIGHTS = { wght: { min: 400, max: 700 } };
/** Kerning, accents, localized forms and tabular figures. */
const FEATURES = ['kern', 'mark', 'mkmk', 'ccmp', 'locl', 'rvrn', 'tnum'];
/** Copyright and license stay inside the files. */
const NAMES = [0, 1, 2, 3, 4, 5, 6, 13, 14];
const MAX_BYTES = 60_000;

type Subset = (font: Buffer, text: string, options: Record<string, unknown>) => Promise<Buffer>;

function install(): void {
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: TOOLS,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('npm ci failed in scripts/font/tools');
}

/** All characters of a range such as `U+0000-00FF,U+0131`. */
function charactersOf(range: string): string {
  const bounds = range.split(',').map((part) => part.replace('U+', '').split('-'));
  return bounds
    .flatMap(([from = '', to = from]) => {
      const first = Number.parseInt(from, 16);
      return Array.from({ length: Number.parseInt(to, 16) - first + 1 }, (_, n) => String.fromCodePoint(first + n));
    })
    .join('');
}

async function build(): Promise<Map<string, Buffer>> {
  const subset = createRequire(path.join(TOOLS, 'package.json'))('subset-font') as Subset;
  const ranges = JSON.parse(fs.readFileSync(path.join(SOURCE, 'unicode.json'), 'utf8')) as Record<string, string>;
  const built = new Map<string, Buffer>([['OFL.txt', fs.readFileSync(path.join(SOURCE, 'LICENSE'))]]);
  for (const [name, file] of Object.entries(FILES)) {
    const font = fs.readFileSync(path.join(SOURCE, `files/figtree-${name}-wght-normal.woff2`));
    built.set(
      file,
      await subset(font, charactersOf(ranges[name] ?? ''), {
        targetFormat: 'woff2',
        variationAxes: WEIGHTS,
        keepFeatures: FEATURES,
        preserveNameIds: NAMES,
        noHinting: true,
      }),
    );
  }
  return built;
}

install();
const built = await build();
const fonts = [...built].filter(([name]) => name.endsWith('.woff2'));
const total = fonts.reduce((sum, [, { length }]) => sum + length, 0);
if (total > MAX_BYTES) throw new Error(`the typeface has ${total} bytes; at most ${MAX_BYTES} are allowed`);
fs.mkdirSync(TARGET, { recursive: true });
for (const [name, bytes] of built) {
  const file = path.join(TARGET, name);
  if (!process.argv.includes('--check')) fs.writeFileSync(file, bytes);
  else if (!fs.readFileSync(file).equals(bytes)) throw new Error(`${file} differs. Run: npm run font`);
}
process.stdout.write(`${fonts.map(([name, { length }]) => `${name} ${length} B`).join(', ')}\n`);
