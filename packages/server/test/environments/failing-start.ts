import { runForeword } from '../harness/index.ts';

/** Starts a service that cannot start, and returns its exit code and its complaint, which must be a single line. */
export async function failToStart(environment: Record<string, string>): Promise<{ code: number | null; line: string }> {
  const settings = { PORT: '1', FOREWORD_DEMO: 'off', ...environment };
  const { code, stdout, stderr } = await runForeword(settings, 'start');
  const line = /^foreword: ([^\n]+)\n$/.exec(stdout + stderr)?.[1];
  if (line === undefined) throw new Error(`expected one line, not: ${stdout}${stderr}`);
  return { code, line };
}
