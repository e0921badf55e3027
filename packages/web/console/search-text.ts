/** A value of the address bar as text: the router reads `?q=2468` as a number, and a phone number is typed that way. */
const readText = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;

/** The texts of these names, without those that are not there. */
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
