import { test as base, expect } from 'vitest';
import { Phones, type Visit } from '../phone.ts';

/** `visit` opens the recorder on a phone, with a server of its own. It closes with the test, and must have logged no error. */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of fixtures from this pattern.
  .extend('phones', { scope: 'file' }, async ({}, { onCleanup }) => {
    const phones = await Phones.open();
    onCleanup(() => phones.close());
    return phones;
  })
  .extend('visit', ({ phones }, { onCleanup }) => {
    const visits: Visit[] = [];
    onCleanup(async () => {
      for (const { close } of visits) await close();
      expect(visits.flatMap(({ server }) => server.received.complaints)).toEqual([]);
    });
    return async (...args: Parameters<Phones['visit']>): Promise<Visit> => {
      const opened = await phones.visit(...args);
      visits.push(opened);
      return opened;
    };
  });
