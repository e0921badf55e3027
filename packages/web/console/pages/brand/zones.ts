/** Missing from the list of some browsers, though all support it. */
const EXTRA_ZONES = ['UTC'];

export const zonesWith = (current: string): readonly string[] =>
  [...new Set([...Intl.supportedValuesOf('timeZone'), ...EXTRA_ZONES, current])].sort();

/** "America/New_York" → "New York, America" */
export function zoneLabel(zone: string): string {
  const [place = zone, ...areas] = zone.replaceAll('_', ' ').split('/').reverse();
  return areas.length === 0 ? place : `${place}, ${areas.reverse().join(', ')}`;
}

/** "GMT-5": the offset in effect at `nowMs`. */
export function zoneOffset(zone: string, nowMs: number): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'shortOffset' }).formatToParts(nowMs);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}
