const calm = matchMedia('(prefers-reduced-motion: reduce)');

/** Asked at each use: people change it while the page is open. */
export const prefersStillness = (): boolean => calm.matches;

/** Calls for each picture the screen draws, with the milliseconds since it began. Returns how to end it. */
export function eachFrame(draw: (elapsedMs: number) => void): () => void {
  const startedMs = performance.now();
  let frame = requestAnimationFrame(function next(nowMs) {
    draw(Math.max(0, nowMs - startedMs));
    frame = requestAnimationFrame(next);
  });
  return () => cancelAnimationFrame(frame);
}
