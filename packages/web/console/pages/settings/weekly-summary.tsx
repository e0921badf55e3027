import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { Card } from '../../parts/card.tsx';
import { Switch } from '../../parts/choices.tsx';
import { useAction } from '../../queries.ts';
import { SETTINGS } from '../../texts/settings.ts';
import { SETTINGS_KEY } from './draft.ts';

/** Only owners get the summary. */
export function WeeklySummary({ isOn }: { isOn: boolean }) {
  const queries = useQueryClient();
  const save = useAction({
    run: (weekly_summary: boolean) => call('POST /home/settings', { body: { weekly_summary } }),
    topics: ['members'],
    done: (_saved, weekly_summary) => (weekly_summary ? SETTINGS.summaryOn : SETTINGS.summaryOff),
    onDone: (saved) => queries.setQueryData(SETTINGS_KEY, saved),
  });
  return (
    <Card title={SETTINGS.summaryTitle} lead={SETTINGS.summaryLead}>
      <Switch
        label={SETTINGS.summary}
        // The choice shows at once, and goes back if it could not be saved.
        checked={save.isPending ? save.variables : isOn}
        disabled={save.isPending}
        onChange={(checked) => save.mutate(checked)}
      />
    </Card>
  );
}
