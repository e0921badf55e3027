import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { buildDocs } from '../../docs/site/build.ts';
import { buildWeb } from '../../packages/web/build.ts';

/** A folder with the content of an npm package, and the tarball made of it. */
export interface BuiltPackage {
  readonly name: string;
  readonly tarball: string;
  readonly packedBytes: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

const ROOT = path.join(import.meta.dirname, '../..');
const BUILD = path.join(ROOT, 'build');
const CONTRACT = '@foreword/contract';
const SDK = '@foreword/sdk';

const readManifest = (workspace: string): Manifest =>
  JSON.parse(fs.readFileSync(path.join(ROOT, 'packages', workspace, 'package.json'), 'utf8')) as Manifest;

/** The version of everything. The other workspaces have none. */
export const readVersion = (): string => readManifest('server').version;

function compile(root: string): void {
  const args = ['-p', import.meta.dirname, '--outDir', path.join(root, 'compiled')];
  execFileSync(path.join(ROOT, 'node_modules/.bin/tsc'), args, { stdio: ['ignore', 'inherit', 'inherit'] });
}

const listFiles = (folder: string): string[] =>
  fs
    .globSync('**', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();

function write(file: string, content: string | Buffer): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
}

/** Source maps refer to the TypeScript in `src`. The compiler rewrites the imports of JavaScript, but not those of declarations. */
function adapt(file: string, text: string): string {
  if (file.endsWith('.d.ts')) return text.replaceAll(/((?:from|import) ?\(?['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2');
  if (!file.endsWith('.map')) return text;
  const source = path.join(path.relative(path.dirname(file), '.'), '../src', file.replace(/\.js\.map$/, '.ts'));
  return JSON.stringify({ ...JSON.parse(text), sources: [source] });
}

/** Writes a package with its JavaScript in `dist` and its TypeScript in `src`. Returns its folder. */
function writePackage(
  root: string,
  workspace: string,
  kinds: RegExp,
  manifest: { name: string; [key: string]: unknown },
) {
  const [folder, from] = [path.join(root, path.basename(manifest.name)), path.join(ROOT, 'packages', workspace)];
  const own = { ...manifest, license: 'Apache-2.0', type: 'module' };
  write(path.join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
  const compiled = path.join(root, 'compiled', workspace, 'src');
  for (const file of listFiles(compiled).filter((name) => kinds.test(name)))
    write(path.join(folder, 'dist', file), adapt(file, fs.readFileSync(path.join(compiled, file), 'utf8')));
  for (const file of listFiles(path.join(from, 'src')))
    write(
      path.join(folder, file.endsWith('.ts') ? 'src' : 'dist', file),
      fs.readFileSync(path.join(from, 'src', file)),
    );
  for (const file of [path.join(ROOT, 'LICENSE'), path.join(ROOT, 'NOTICE'), path.join(from, 'README.md')])
    fs.copyFileSync(file, path.join(folder, path.basename(file)));
  return folder;
}

const LIBRARY = /\.(js|js\.map|d\.ts)$/;
const entry = (file: string) => ({ types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` });
const OWN_MANIFEST = { './package.json': './package.json' };

const writeContract = (root: string, version: string): string =>
  writePackage(root, 'contract', LIBRARY, {
    ...{ name: CONTRACT, version, description: 'The Foreword API as JSON Schemas and TypeScript types' },
    sideEffects: false,
    exports: { '.': entry('index'), './plain': entry('plain/index'), './plain/*': entry('plain/*'), ...OWN_MANIFEST },
    dependencies: readManifest('contract').dependencies,
  });

const writeSdk = (root: string, version: string): string =>
  writePackage(root, 'sdk', LIBRARY, {
    ...{ name: SDK, version },
    description: 'The TypeScript client of Foreword: personal video intros, requested by your system',
    keywords: ['foreword', 'video', 'crm', 'sdk'],
    sideEffects: false,
    exports: { '.': entry('index'), './phone': entry('phone'), ...OWN_MANIFEST },
    engines: { node: '>=20' },
  });

/** The command is written for TypeScript in `src`; the package runs JavaScript in `dist`. */
function writeCommand(folder: string): void {
  const source = fs.readFileSync(path.join(ROOT, 'packages/server/bin/foreword.mjs'), 'utf8');
  const command = source.replaceAll(/'\.\.\/src\/([\w/-]+)\.ts'/g, "'../dist/$1.js'");
  if (!command.includes("'../dist/cli/main.js'") || command.includes('../src/'))
    throw new Error('bin/foreword.mjs imports its code in a way that the package cannot use');
  fs.mkdirSync(path.join(folder, 'bin'));
  fs.writeFileSync(path.join(folder, 'bin/foreword.mjs'), command, { mode: 0o755 });
}

async function writeService(root: string, version: string): Promise<string> {
  const { dependencies, optionalDependencies } = readManifest('server');
  const folder = writePackage(root, 'server', /\.(js|js\.map)$/, {
    ...{ name: 'foreword', version },
    description: 'Short personal videos from your team, requested by your CRM and sent by text message. Self-hosted',
    keywords: ['video', 'crm', 'self-hosted', 'postgresql'],
    bin: { foreword: 'bin/foreword.mjs' },
    // Not a library: only the command is public.
    exports: OWN_MANIFEST,
    engines: { node: '>=26' },
    dependencies: { ...dependencies, [CONTRACT]: version, [SDK]: version },
    optionalDependencies,
  });
  writeCommand(folder);
  fs.cpSync(path.join(ROOT, 'packages/server/migrations'), path.join(folder, 'migrations'), { recursive: true });
  fs.copyFileSync(path.join(ROOT, 'openapi.json'), path.join(folder, 'openapi.json'));
  fs.cpSync((await buildWeb()).folder, path.join(folder, 'web'), { recursive: true });
  fs.cpSync(buildDocs(), path.join(folder, 'docs-site'), { recursive: true });
  return folder;
}

/** Writes the tarball next to the folder. */
function pack(name: string, folder: string): BuiltPackage {
  const output = execFileSync('npm', ['pack', '--json', '--pack-destination', path.dirname(folder)], {
    ...{ cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  });
  const [packed] = Object.values(
    JSON.parse(output) as Record<string, { filename: string; size: number; files: BuiltPackage['files'] }>,
  );
  if (packed === undefined) throw new Error(`npm pack printed nothing for ${name}`);
  const tarball = path.join(path.dirname(folder), packed.filename);
  return { name, tarball, packedBytes: packed.size, files: packed.files };
}

/** Writes all packages to `build`, and their tarballs next to them. */
export async function buildPackages(version = readVersion()): Promise<BuiltPackage[]> {
  fs.rmSync(BUILD, { recursive: true, force: true });
  compile(BUILD);
  const contract = writeContract(BUILD, version);
  const sdk = writeSdk(BUILD, version);
  const service = await writeService(BUILD, version);
  fs.rmSync(path.join(BUILD, 'compiled'), { recursive: true });
  return [pack(CONTRACT, contract), pack(SDK, sdk), pack('foreword', service)];
}

/** Writes only the SDK, to a folder of its own, for tests that need nothing else. */
export function buildSdk(root: string): BuiltPackage {
  compile(root);
  return pack(SDK, writeSdk(root, readVersion()));
}

if (import.meta.main) {
  for (const { tarball } of await buildPackages()) process.stdout.write(`${path.relative(process.cwd(), tarball)}\n`);
}
