/** For each release, the breaking changes since then that we accepted, and why. Entries of older releases are history. */
export type Exceptions = Readonly<
  Record<string, readonly { readonly reason: string; readonly changes: readonly string[] }[]>
>;

interface Review {
  readonly unreviewed: readonly string[];
  /** Accepted changes that were not found: an exception must not outlive its change. */
  readonly stale: readonly string[];
  readonly accepted: number;
}

export function reviewChanges(changes: readonly string[], exceptions: Exceptions, release: string): Review {
  const accepted = (exceptions[release] ?? []).flatMap((exception) => exception.changes);
  return {
    unreviewed: changes.filter((change) => !accepted.includes(change)),
    stale: accepted.filter((change) => !changes.includes(change)),
    accepted: changes.filter((change) => accepted.includes(change)).length,
  };
}
