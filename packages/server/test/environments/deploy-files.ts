import fs from 'node:fs';
import path from 'node:path';
import { findProgram } from './programs.ts';

export const DEPLOY = path.join(import.meta.dirname, '../../../../deploy');

/** A shipped file with the changes that the test needs. A change that finds nothing is an error. */
export function readDeployFile(name: string, changes: readonly [from: string | RegExp, to: string][]): string {
  let text = fs.readFileSync(path.join(DEPLOY, name), 'utf8');
  for (const [from, to] of changes) {
    if (text.search(from) < 0) throw new Error(`${name} does not contain ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

/** Machines without IPv6 could not listen. */
export const WITHOUT_IPV6: [RegExp, string] = [/^ *listen \[::\].*\n/gm, ''];

/** Writes what belongs in `http` to the folder, and returns the command that runs nginx with it in the foreground. */
export function prepareNginx(folder: string, text: string): { command: string; args: string[] } {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const folders = temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n');
  const main = `daemon off;\npid ${folder}/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\n${folders}\n${text}\n}\n`;
  const file = path.join(folder, 'nginx.conf');
  fs.writeFileSync(file, main);
  return { command: findProgram('nginx', 'nginx'), args: ['-e', 'stderr', '-p', folder, '-c', file] };
}
