import type { HomeSettings, NotifyBy } from '@foreword/contract';
import { PACE } from '@foreword/contract/plain';
import { useQueryClient } from '@tanstack/react-query';
import { rememberPace } from '../../../kit/pace.ts';
import { call } from '../../api.ts';
import { formatEditablePhone, tidyPhone } from '../../parts/phone-field.tsx';
import { useAction } from '../../queries.ts';
import { SETTINGS } from '../../texts/settings.ts';
import type { Draft } from '../../use-draft.ts';

export interface SettingsFields {
  readonly phone: string;
  readonly notify_by: NotifyBy;
  readonly words_per_minute: number;
}

export type SettingsDraft = Draft<SettingsFields>;

export const SETTINGS_KEY = ['members', 'self'] as const;

export const fieldsOf = (settings: HomeSettings): SettingsFields => ({
  phone: formatEditablePhone(settings.phone ?? ''),
  notify_by: settings.notify_by,
  words_per_minute: settings.words_per_minute ?? PACE.usual,
});

/** Sends only the given fields, so that a save never overwrites someone else's change to another field. */
export function useSave(draft: SettingsDraft) {
  const queries = useQueryClient();
  return useAction({
    run: ({ phone, ...rest }: Partial<SettingsFields>) =>
      call('POST /home/settings', { body: { ...rest, ...(phone !== undefined && { phone: tidyPhone(phone) }) } }),
    topics: ['members'],
    done: SETTINGS.saved,
    onDone(saved, sent) {
      // The recorder prefers the pace stored on this device to the server's.
      if (sent.words_per_minute !== undefined) rememberPace(sent.words_per_minute);
      queries.setQueryData(SETTINGS_KEY, saved);
      draft.markSaved(sent, fieldsOf(saved));
    },
    showsFailure: true,
  });
}
