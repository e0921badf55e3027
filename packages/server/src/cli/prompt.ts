import { createInterface } from 'node:readline/promises';
import { Failure } from './failure.ts';

/** True when a person can be asked. The result of the command may still be piped. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** Asks for one of the numbered labels; returns its position. Writes to stderr, because stdout is for the result. */
export async function choose(question: string, labels: readonly string[]): Promise<number> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<never>((_resolve, reject) => {
    terminal.once('close', () => reject(new Failure('Nothing was chosen.')));
  });
  const width = String(labels.length).length;
  const lines = labels.map((label, at) => `  ${String(at + 1).padStart(width)}  ${label}\n`);
  process.stderr.write(`${question}\n${lines.join('')}`);
  try {
    for (;;) {
      const answer = await Promise.race([terminal.question(`Number from 1 to ${labels.length}: `), closed]);
      const number = Number(answer.trim());
      if (Number.isInteger(number) && number >= 1 && number <= labels.length) return number - 1;
    }
  } finally {
    closed.catch(() => undefined);
    terminal.close();
  }
}
