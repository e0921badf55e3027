const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

/** Read on each use: the setting can change while the page is open. */
export const prefersReducedMotion = (): boolean => reducedMotion.matches;

/** Calls `draw` on every animation frame with the milliseconds since the start. Returns a function that stops it. */
export function eachFrame(draw: (elapsedMs: number) => void): () => void {
  const startedMs = performance.now();
  let frame = requestAnimationFrame(function next(nowMs) {
    draw(Math.max(0, nowMs - startedMs));
    frame = requestAnimationFrame(next);
  });
  return () => cancelAnimationFrame(frame);
}
