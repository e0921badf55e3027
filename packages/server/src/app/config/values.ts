import type { Variable } from './variables.ts';

/** The message names the variable and its valid values. */
export class ConfigError extends Error {}

/** The value of a variable; undefined if it is unset or empty. */
export type Read = (name: Variable) => string | undefined;

export function readRequired(read: Read, name: Variable, requiredBy: string): string {
  const text = read(name);
  if (text === undefined) throw new ConfigError(`${name} is missing: ${requiredBy} requires it`);
  return text;
}

const MIN_SECRET = 16;

/** A password that other programs send, in a header or as part of a URL: without characters that have a meaning there. */
export function checkSecret(name: string, secret: string): void {
  if (new RegExp(`^[A-Za-z0-9_-]{${MIN_SECRET},}$`).test(secret)) return;
  // Does not show the value: it is a secret.
  throw new ConfigError(`${name} must be at least ${MIN_SECRET} letters, digits, hyphens and underscores`);
}

export function readUrl(name: string, text: string, schemes: readonly string[]): string {
  const url = URL.parse(text);
  if (url === null || !schemes.includes(url.protocol)) {
    // Does not show the value: a URL may contain a password.
    throw new ConfigError(`${name} must be a URL that starts with ${schemes.map((s) => `${s}//`).join(' or ')}`);
  }
  return text;
}

/** The name of an installation, which is part of its API keys. */
export function readCell(text: string | undefined): string | undefined {
  if (text === undefined || /^[a-z][a-z0-9]{0,7}$/.test(text)) return text;
  throw new ConfigError(
    `FOREWORD_CELL must be 1 to 8 lowercase letters and digits that start with a letter, such as eu1, not "${text}"`,
  );
}

export function readCount(name: string, text: string, [min, max]: [number, number]): number {
  const count = Number(text);
  if (/^\d{1,9}$/.test(text) && count >= min && count <= max) return count;
  throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
}
