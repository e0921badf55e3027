import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { initWasm, Resvg } from '@resvg/resvg-wasm';

// Renders one SVG in its own process, so that a hostile file can crash only this one. The library runs no scripts and
// reads neither the network nor files.

const [, , source = '', target = '', width = '', height = ''] = process.argv;

function render(): { readonly isEmpty: boolean; readonly width: number; readonly height: number } {
  const svg = readFileSync(source, 'utf8');
  const options = { font: { loadSystemFonts: false } } as const;
  const drawing = new Resvg(svg, options);
  if (drawing.getBBox() === undefined) return { isEmpty: true, width: 0, height: 0 };
  const isWide = drawing.width / drawing.height > Number(width) / Number(height);
  const fitTo = isWide
    ? ({ mode: 'width', value: Number(width) } as const)
    : ({ mode: 'height', value: Number(height) } as const);
  const drawn = new Resvg(svg, { ...options, fitTo }).render();
  writeFileSync(target, drawn.asPng());
  return { isEmpty: false, width: drawn.width, height: drawn.height };
}

await initWasm(readFileSync(fileURLToPath(import.meta.resolve('@resvg/resvg-wasm/index_bg.wasm'))));
let outcome: unknown;
try {
  outcome = { kind: 'drawn', ...render() };
} catch (error) {
  outcome = { kind: 'refused', reason: String(error) };
}
writeSync(1, `${JSON.stringify(outcome)}\n`);
