import { test as base, expect } from 'vitest';
import { visit as openPhone, type Visit } from '../phone.ts';

/** `visit` opens the recorder on a phone, with a server of its own. It closes with the test, and must have logged no error. */
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of fixtures from this pattern.
export const test = base.extend('visit', ({}, { onCleanup }) => {
  const visits: Visit[] = [];
  onCleanup(async () => {
    for (const { close } of visits) await close();
    expect(visits.flatMap(({ server }) => server.received.complaints)).toEqual([]);
  });
  return async (...args: Parameters<typeof openPhone>): Promise<Visit> => {
    const opened = await openPhone(...args);
    visits.push(opened);
    return opened;
  };
});
