import type { HomeSettings, NotifyBy } from '@foreword/contract';
import { useQueryClient } from '@tanstack/react-query';
import { PACE, rememberPace } from '../../../kit/pace.ts';
import { useAction } from '../../actions.ts';
import { call } from '../../api.ts';
import { SETTINGS } from '../../texts/settings.ts';
import type { Touched } from '../../touched.ts';
import { tidyPhone, writePhone } from '../home/tidy-phone.ts';

/** What stands in the forms. */
export interface Own {
  readonly phone: string;
  readonly notify_by: NotifyBy;
  readonly words_per_minute: number;
}

export type Draft = Touched<Own>;

export const SETTINGS_KEY = ['members', 'self'] as const;

export const ownOf = (settings: HomeSettings): Own => ({
  phone: writePhone(settings.phone ?? ''),
  notify_by: settings.notify_by,
  words_per_minute: settings.words_per_minute ?? PACE.usual,
});

/** Sends what it is given and nothing else: the rest may have been changed by somebody since it was read. */
export function useSave(draft: Draft) {
  const queries = useQueryClient();
  return useAction({
    run: ({ phone, ...rest }: Partial<Own>) =>
      call('POST /home/settings', { body: { ...rest, ...(phone !== undefined && { phone: tidyPhone(phone) }) } }),
    topics: ['members'],
    done: SETTINGS.saved,
    onDone(saved, sent) {
      // What the recorder remembers on this device goes before what the server knows.
      if (sent.words_per_minute !== undefined) rememberPace(sent.words_per_minute);
      queries.setQueryData(SETTINGS_KEY, saved);
      draft.settle(sent, ownOf(saved));
    },
    showsFailure: true,
  });
}
