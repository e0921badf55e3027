const RADIUS = 64;
const RING = 5;
/** How far right of the disc's center the triangle is, because exactly in the center it looks too far left. */
const TRIANGLE = { left: -17, tip: 31, halfHeight: 27 } as const;
const SHADE = 0.55;

/**
 * FFmpeg filters that draw a white play icon on a dark disc around a point. Only the disc's square is computed pixel by pixel,
 * because FFmpeg evaluates such expressions slowly. The coordinates must be even.
 */
export function drawPlayIcon(center: { x: number; y: number }): string {
  const [left, top] = [center.x - RADIUS, center.y - RADIUS];
  const { tip, halfHeight } = TRIANGLE;
  const run = tip - TRIANGLE.left;
  const slope = halfHeight / run;
  const [u, v] = [`(X-${RADIUS - 0.5})`, `(Y-${RADIUS - 0.5})`];
  // Distances from the edges in pixels, positive inside; cut to 0 and 1, they smooth the edges.
  const covered = (distance: string): string => `clip(${distance}+0.5,0,1)`;
  const disc = `${RADIUS - 1}-hypot(${u},${v})`;
  const edges = `min(${u}+${-TRIANGLE.left},(${slope.toFixed(4)}*(${tip}-${u})-abs(${v}))*${(run / Math.hypot(run, halfHeight)).toFixed(4)})`;
  const white = `max(${covered(edges)},${covered(disc)}*${covered(`${RING}-(${disc})`)})`;
  const draw = (channel: string): string =>
    `${channel}='st(0,${white});(1-ld(0))*${channel}(X,Y)*(1-${SHADE}*${covered(disc)})+255*ld(0)'`;
  return (
    `split[under][square];[square]crop=${2 * RADIUS}:${2 * RADIUS}:${left}:${top},format=gbrp,` +
    `geq=${['r', 'g', 'b'].map(draw).join(':')}[icon];[under][icon]overlay=${left}:${top}:format=yuv444`
  );
}
