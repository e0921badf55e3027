/** A set that forgets its oldest entries. */
export interface Memory {
  has(entry: string): boolean;
  add(entry: string): void;
}

export function createMemory(most: number): Memory {
  const entries = new Set<string>();
  return {
    has: (entry) => entries.has(entry),
    add(entry) {
      entries.add(entry);
      const [oldest] = entries;
      if (entries.size > most && oldest !== undefined) entries.delete(oldest);
    },
  };
}
