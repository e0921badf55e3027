const MOST = 1000;

/** Keeps the result of a lookup for a while, and shares one that is in flight. Failures are not kept. */
export function rememberFor<Result>(
  lifeMs: number,
  look: (key: string) => Promise<Result>,
): (key: string) => Promise<Result> {
  const known = new Map<string, { result: Promise<Result>; until: number }>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined && performance.now() < found.until) return found.result;
    const result = look(key);
    known.delete(key);
    known.set(key, { result, until: performance.now() + lifeMs });
    result.catch(() => known.get(key)?.result === result && known.delete(key));
    const [oldest] = known.keys();
    if (known.size > MOST && oldest !== undefined) known.delete(oldest);
    return result;
  };
}
