import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** One shell for the blocks of a page, which keeps its variables and functions. */
export class Shell {
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<string>;
  #output = '';
  #blocks = 0;

  constructor(folder: string, environment: Record<string, string>) {
    this.#folder = folder;
    this.#child = spawn('bash', ['-euo', 'pipefail'], {
      cwd: folder,
      env: environment,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk) => {
        this.#output += chunk;
      });
    this.#ended = new Promise((resolve) =>
      this.#child.once('close', (code) => resolve(`the shell exited with ${code}`)),
    );
  }

  /** Runs a block to its end; the first command that fails ends the shell. Returns the environment after it. */
  async run(code: string): Promise<Record<string, string>> {
    this.#blocks += 1;
    const file = path.join(this.#folder, `block-${this.#blocks}.sh`);
    const environment = `${file}.env`;
    fs.writeFileSync(file, code);
    this.#output = '';
    const done = new Promise<undefined>((resolve) => {
      const watcher = fs.watch(this.#folder, () => {
        if (!fs.existsSync(`${environment}.done`)) return;
        watcher.close();
        resolve(undefined);
      });
    });
    this.#child.stdin?.write(`source ${file} </dev/null\nenv -0 > ${environment}\ntouch ${environment}.done\n`);
    const failure = await Promise.race([done, this.#ended]);
    if (failure !== undefined) throw new Error(`${failure}:\n${this.#output}`);
    const entries = fs.readFileSync(environment, 'utf8').split('\0').filter(Boolean);
    return Object.fromEntries(entries.map((entry) => entry.split(/=(.*)/s).slice(0, 2)));
  }

  async close(): Promise<void> {
    this.#child.stdin?.end();
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
