import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.join(import.meta.dirname, '../..');

/** Runs the code block of a recipe's page that contains `mark` in a shell, as an administrator does; returns its output. */
export async function runBlock(page: string, mark: string, environment: Record<string, string>): Promise<string> {
  const text = fs.readFileSync(path.join(ROOT, 'docs/recipes', `${page}.md`), 'utf8');
  const block = [...text.matchAll(/```text\n([\s\S]*?)```/g)]
    .map(([, code = '']) => code)
    .find((code) => code.includes(mark));
  if (block === undefined) throw new Error(`${page}.md has no block with ${mark}`);
  const options = { cwd: ROOT, env: { PATH: process.env.PATH ?? '', ...environment } };
  const { stdout } = await promisify(execFile)('bash', ['-euc', block], options);
  return stdout;
}
