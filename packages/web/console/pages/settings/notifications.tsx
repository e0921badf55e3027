import type { NotifyBy } from '@foreword/contract';
import { type FormEvent, useState } from 'react';
import { fieldProblem } from '../../failure.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { RadioGroup } from '../../parts/choices.tsx';
import { Field } from '../../parts/field.tsx';
import { FormProblem, useFocusProblem } from '../../parts/form-problem.tsx';
import { isWholePhone, PhoneField, tidyPhone } from '../../parts/phone-field.tsx';
import { PARTS } from '../../texts/common.ts';
import { SETTINGS } from '../../texts/settings.ts';
import { type SettingsDraft, useSave } from './draft.ts';

const CHANNELS: readonly { value: NotifyBy; label: string; hint?: string }[] = [
  { value: 'text', label: SETTINGS.text, hint: SETTINGS.needsPhone },
  { value: 'email', label: SETTINGS.emailOnly },
  { value: 'both', label: SETTINGS.both },
];

/** How and where the member is notified about videos to record. */
export function Notifications({ draft }: { draft: SettingsDraft }) {
  const { phone, notify_by: notifyBy } = draft.fields;
  const [problem, setProblem] = useState<string>();
  const save = useSave(draft);
  const form = useFocusProblem<HTMLFormElement>(save.error);
  function submit(event: FormEvent): void {
    event.preventDefault();
    const { words_per_minute: _pace, ...changes } = draft.changes;
    const tidy = tidyPhone(changes.phone ?? '');
    const isValid = tidy === '' || isWholePhone(tidy);
    setProblem(isValid ? undefined : PARTS.phoneNeedsPlus);
    if (isValid && !save.isPending) save.mutate(changes);
  }
  return (
    <Card title={SETTINGS.notificationsTitle} lead={SETTINGS.notificationsLead}>
      <form ref={form} className="form" noValidate onSubmit={submit}>
        <Field group label={SETTINGS.notifyBy} error={fieldProblem(save.error, 'notify_by')}>
          <RadioGroup
            label={SETTINGS.notifyBy}
            value={notifyBy}
            options={CHANNELS}
            onChange={(notify_by) => draft.change({ notify_by })}
          />
        </Field>
        <PhoneField
          label={SETTINGS.phone}
          hint={SETTINGS.phoneHint}
          value={phone}
          onChange={(typed) => draft.change({ phone: typed })}
          error={problem ?? fieldProblem(save.error, 'phone')}
          optional
        />
        <FormProblem error={save.error} fields={['notify_by', 'phone']} />
        <div className="form-actions">
          <Button type="submit" busy={save.isPending}>
            {SETTINGS.save}
          </Button>
        </div>
      </form>
    </Card>
  );
}
