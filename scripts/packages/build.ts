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
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** A folder to build, and the folder with its compiled code. */
interface Target {
  readonly folder: string;
  readonly compiled: string;
  readonly version: string;
}

const ROOT = path.join(import.meta.dirname, '../..');
const BUILD = path.join(ROOT, 'build');
const CONTRACT = '@foreword/contract';
const SDK = '@foreword/sdk';

const readManifest = (workspace: string): Manifest =>
  JSON.parse(fs.readFileSync(path.join(ROOT, 'packages', workspace, 'package.json'), 'utf8')) as Manifest;

/** The version of everything. The other workspaces have none. */
export const readVersion = (): string => readManifest('server').version;

function compile(folder: string): void {
  const program = path.join(ROOT, 'node_modules/.bin/tsc');
  execFileSync(program, ['-p', import.meta.dirname, '--outDir', folder], { stdio: ['ignore', 'inherit', 'inherit'] });
}

const listFiles = (folder: string): string[] =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();

function copyFile(from: string, to: string): void {
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.copyFileSync(from, to);
}

/** The compiler rewrites the imports of JavaScript, but not those of declarations. */
const rewriteDeclaration = (text: string): string =>
  text.replaceAll(/((?:from|import) ?\(?['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2');

const rewriteSourceMap = (text: string, file: string): string =>
  JSON.stringify({
    ...JSON.parse(text),
    sources: [path.join(path.relative(path.dirname(file), '.'), '../src', file.replace(/\.js\.map$/, '.ts'))],
  });

/** Writes `dist` with the JavaScript and `src` with the TypeScript that its source maps refer to. */
function writeCode(workspace: string, { folder, compiled }: Target, kinds: RegExp): void {
  const code = path.join(compiled, workspace, 'src');
  for (const file of listFiles(code).filter((name) => kinds.test(name))) {
    const text = fs.readFileSync(path.join(code, file), 'utf8');
    const target = path.join(folder, 'dist', file);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    if (file.endsWith('.map')) fs.writeFileSync(target, rewriteSourceMap(text, file));
    else fs.writeFileSync(target, file.endsWith('.d.ts') ? rewriteDeclaration(text) : text);
  }
  const sources = path.join(ROOT, 'packages', workspace, 'src');
  for (const file of listFiles(sources)) {
    copyFile(path.join(sources, file), path.join(folder, file.endsWith('.ts') ? 'src' : 'dist', file));
  }
}

function writeManifest(folder: string, manifest: Record<string, unknown>): void {
  fs.writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

function copyTexts(workspace: string, folder: string): void {
  for (const name of ['LICENSE', 'NOTICE']) {
    if (fs.existsSync(path.join(ROOT, name))) copyFile(path.join(ROOT, name), path.join(folder, name));
  }
  copyFile(path.join(ROOT, 'packages', workspace, 'README.md'), path.join(folder, 'README.md'));
}

const entry = (file: string) => ({ types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` });

function writeContract(target: Target): void {
  const { folder, version } = target;
  const { license, dependencies } = readManifest('contract');
  writeManifest(folder, {
    name: CONTRACT,
    version,
    description: 'The Foreword API as TypeBox schemas and TypeScript types',
    license,
    type: 'module',
    sideEffects: false,
    exports: {
      '.': entry('index'),
      './plain': entry('plain/index'),
      './plain/*': entry('plain/*'),
      './package.json': './package.json',
    },
    dependencies,
  });
  writeCode('contract', target, /\.(js|js\.map|d\.ts)$/);
  copyTexts('contract', folder);
}

function writeSdk(target: Target): void {
  const { folder, version } = target;
  writeManifest(folder, {
    name: SDK,
    version,
    description: 'The TypeScript client of Foreword: personal video intros, requested by your system',
    keywords: ['foreword', 'video', 'crm', 'sdk'],
    license: readManifest('sdk').license,
    type: 'module',
    sideEffects: false,
    exports: {
      '.': entry('index'),
      './phone': entry('phone'),
      './package.json': './package.json',
    },
    engines: { node: '>=20' },
  });
  writeCode('sdk', target, /\.(js|js\.map|d\.ts)$/);
  copyTexts('sdk', folder);
}

/** The command is written for TypeScript in `src`; the package runs JavaScript in `dist`. */
function writeCommand(folder: string): void {
  const source = fs.readFileSync(path.join(ROOT, 'packages/server/bin/foreword.mjs'), 'utf8');
  const command = source.replaceAll(/'\.\.\/src\/([\w/-]+)\.ts'/g, "'../dist/$1.js'");
  if (!command.includes("'../dist/cli/main.js'") || command.includes('../src/'))
    throw new Error('bin/foreword.mjs imports its code in a way that the package cannot use');
  fs.mkdirSync(path.join(folder, 'bin'));
  fs.writeFileSync(path.join(folder, 'bin/foreword.mjs'), command, { mode: 0o755 });
}

async function writeService(target: Target): Promise<void> {
  const { folder, version } = target;
  const { license, dependencies, optionalDependencies } = readManifest('server');
  writeManifest(folder, {
    name: 'foreword',
    version,
    description: 'Short personal videos from your team, requested by your CRM and sent by text message. Self-hosted',
    keywords: ['video', 'crm', 'self-hosted', 'postgresql'],
    license,
    type: 'module',
    bin: { foreword: 'bin/foreword.mjs' },
    // Not a library: only the command is public.
    exports: { './package.json': './package.json' },
    engines: { node: '>=26' },
    dependencies: { ...dependencies, [CONTRACT]: version, [SDK]: version },
    optionalDependencies,
  });
  writeCode('server', target, /\.(js|js\.map)$/);
  writeCommand(folder);
  fs.cpSync(path.join(ROOT, 'packages/server/migrations'), path.join(folder, 'migrations'), { recursive: true });
  fs.cpSync((await buildWeb()).folder, path.join(folder, 'web'), { recursive: true });
  fs.cpSync(buildDocs(), path.join(folder, 'docs-site'), { recursive: true });
  copyTexts('server', folder);
}

/** Writes the tarball next to the folder. */
function pack(name: string, folder: string): BuiltPackage {
  const output = execFileSync('npm', ['pack', '--json', '--pack-destination', path.dirname(folder)], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [packed] = Object.values(
    JSON.parse(output) as Record<string, { filename: string; size: number; files: BuiltPackage['files'] }>,
  );
  if (packed === undefined) throw new Error(`npm pack printed nothing for ${name}`);
  return {
    name,
    tarball: path.join(path.dirname(folder), packed.filename),
    packedBytes: packed.size,
    files: packed.files,
  };
}

function openTarget(root: string, name: string, version: string): Target {
  const folder = path.join(root, name);
  fs.mkdirSync(folder, { recursive: true });
  return { folder, compiled: path.join(root, 'compiled'), version };
}

/** Writes all packages to `build`, and their tarballs next to them. */
export async function buildPackages(version = readVersion()): Promise<BuiltPackage[]> {
  fs.rmSync(BUILD, { recursive: true, force: true });
  const contract = openTarget(BUILD, 'contract', version);
  const sdk = openTarget(BUILD, 'sdk', version);
  const service = openTarget(BUILD, 'foreword', version);
  compile(service.compiled);
  writeContract(contract);
  writeSdk(sdk);
  await writeService(service);
  fs.rmSync(service.compiled, { recursive: true });
  return [pack(CONTRACT, contract.folder), pack(SDK, sdk.folder), pack('foreword', service.folder)];
}

/** Writes only the SDK, to a folder of its own, for tests that need nothing else. */
export function buildSdk(root: string): BuiltPackage {
  const sdk = openTarget(root, 'sdk', readVersion());
  compile(sdk.compiled);
  writeSdk(sdk);
  return pack(SDK, sdk.folder);
}

if (import.meta.main) {
  for (const { tarball } of await buildPackages()) process.stdout.write(`${path.relative(process.cwd(), tarball)}\n`);
}
