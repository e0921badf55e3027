/** Not in the list of some browsers, though all know it. */
const ALSO = ['UTC'];

export const zonesWith = (current: string): readonly string[] =>
  [...new Set([...Intl.supportedValuesOf('timeZone'), ...ALSO, current])].sort();

/** "America/New_York" → "New York, America" */
export function zoneLabel(zone: string): string {
  const [place = zone, ...areas] = zone.replaceAll('_', ' ').split('/').reverse();
  return areas.length === 0 ? place : `${place}, ${areas.reverse().join(', ')}`;
}

/** "GMT-5", as it is there today. */
export function zoneOffset(zone: string, nowMs: number): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'shortOffset' }).formatToParts(nowMs);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}
