export const EXIT_BAD_CONFIGURATION = 78;

export function exitWith(line: string, code: number): never {
  process.stderr.write(`foreword: ${line}\n`);
  process.exit(code);
}
