import { type ChildProcess, execFile, fork } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type Page, ROOT } from './pages.ts';

const DECLARATION =
  /^(?:export )?(?:async )?(const|let|function|class|interface|type) (?:(\w+)|\{([^}]*)\}|\[([^\]]*)\])/gm;
const IMPORT = /^import (?:type )?\{([^}]*)\} from/gm;

interface Names {
  readonly values: readonly string[];
  readonly types: readonly string[];
}

const split = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.replace(/^.*(?::| as )/, '').trim())
    .filter(Boolean);

function declaredNames(code: string): Names {
  const found = [...code.matchAll(DECLARATION)].map(([, kind = '', name, object, list]) => ({
    isType: kind === 'interface' || kind === 'type',
    names: name === undefined ? split(object ?? list ?? '') : [name],
  }));
  const imported = [...code.matchAll(IMPORT)].flatMap(([, names = '']) => split(names));
  const of = (isType: boolean) => found.filter((one) => one.isType === isType).flatMap(({ names }) => names);
  return { values: [...of(false), ...imported], types: of(true) };
}

/** Blocks continue the earlier ones of their page: each becomes a module that imports their names, and exports its own. */
function writeModule(code: string, earlier: ReadonlyMap<string, { file: string; isType: boolean }>): string {
  const own = declaredNames(code);
  const all = new Set([...own.values, ...own.types]);
  const imports = [...earlier]
    .filter(([name]) => !all.has(name) && new RegExp(`\\b${name}\\b`).test(code))
    .map(([name, { file, isType }]) => `import { ${isType ? 'type ' : ''}${name} } from './${file}';`);
  const bare = code.replaceAll(/^export (?=(async )?(const|let|function|class|interface|type) )/gm, '');
  const exports = `export { ${[...own.values, ...own.types.map((name) => `type ${name}`)].join(', ')} };`;
  // On the first line, so that errors have the line of the block.
  return `${imports.join(' ')} ${bare}\n${exports}\n`;
}

/** Writes the TypeScript blocks of a page as modules; returns their files by the place of the block. */
export function writeModules(page: Page, folder: string): Map<string, string> {
  const files = new Map<string, string>();
  const earlier = new Map<string, { file: string; isType: boolean }>();
  for (const { at, code, language, notRun } of page.blocks) {
    if (language !== 'ts' || notRun !== undefined) continue;
    const file = `line-${at.split(':')[1]}.ts`;
    fs.writeFileSync(path.join(folder, file), writeModule(code, earlier));
    files.set(at, path.join(folder, file));
    const { values, types } = declaredNames(code);
    for (const name of values) earlier.set(name, { file, isType: false });
    for (const name of types) earlier.set(name, { file, isType: true });
  }
  return files;
}

/** A folder in which modules find the SDK, as in a project that has installed it. */
export function prepareFolder(folder: string): void {
  fs.mkdirSync(folder, { recursive: true });
  fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }\n');
}

const COMPILER_OPTIONS = {
  strict: true,
  noEmit: true,
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'nodenext',
  types: ['node'],
  typeRoots: [path.join(ROOT, 'node_modules/@types')],
  // The SDK is TypeScript source here.
  allowImportingTsExtensions: true,
  skipLibCheck: true,
};

/** Compiles files strictly; returns what the compiler found. */
export async function findTypeErrors(folder: string, files: readonly string[]): Promise<string> {
  const project = path.join(folder, 'tsconfig.json');
  fs.writeFileSync(project, JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files }));
  const compiler = path.join(ROOT, 'node_modules/.bin/tsc');
  const { stdout } = await promisify(execFile)(compiler, ['-p', project]).catch((error) => error as { stdout: string });
  return stdout;
}

interface Loaded {
  readonly receives?: boolean;
  readonly error?: string;
}

/** The process that runs the TypeScript blocks of a page. */
export class ModuleProcess {
  readonly #child: ChildProcess;
  #output = '';

  constructor(folder: string, environment: Record<string, string>) {
    const program = path.join(import.meta.dirname, 'modules.child.ts');
    this.#child = fork(program, {
      cwd: folder,
      env: environment,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      silent: true,
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk) => {
        this.#output += chunk;
      });
  }

  /** Runs a module to its end. Returns whether it has a webhook receiver, which then listens on the port. */
  async load(file: string, environment: Record<string, string>, port: number): Promise<boolean> {
    this.#output = '';
    const answer = await new Promise<Loaded>((resolve) => {
      this.#child.once('message', (message) => resolve(message as Loaded));
      this.#child.once('exit', (code) => resolve({ error: `the process exited with ${code}` }));
      this.#child.send({ file: pathToFileURL(file).href, environment, port });
    });
    if (answer.error !== undefined) throw new Error(`${answer.error}\n${this.#output}`);
    return answer.receives === true;
  }

  async close(): Promise<void> {
    const exited = new Promise((resolve) => this.#child.once('exit', resolve));
    if (this.#child.exitCode === null && this.#child.kill('SIGKILL')) await exited;
  }
}
