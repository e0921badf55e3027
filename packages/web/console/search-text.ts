/** The router parses `?q=2468` as a number, but searches for phone numbers must stay text. */
const readText = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;

/** Reads these search parameters as text, without empty ones. */
export function readTexts<const Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
): { readonly [N in Name]?: string } {
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const text = readText(search[name]);
    if (text !== undefined && text !== '') found[name] = text;
  }
  return found;
}
