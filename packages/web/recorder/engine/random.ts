const ID_BYTES = 12;

export function newTakeId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A random time between half of `ms` and `ms`, so that phones that lost signal together do not retry together. */
export function jittered(ms: number): number {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return ms * (0.5 + random / 2 ** 33);
}
