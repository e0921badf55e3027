import type { HomeSettings, NotifyBy } from '@foreword/contract';
import { type FormEvent, useState } from 'react';
import { useAction } from '../../actions.ts';
import { call } from '../../api.ts';
import { fieldProblem } from '../../failure.ts';
import { useFocusProblem } from '../../focus-problem.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { RadioGroup } from '../../parts/choices.tsx';
import { Field } from '../../parts/field.tsx';
import { FormProblem } from '../../parts/form-problem.tsx';
import { NEW_INTRO } from '../../texts/home.ts';
import { SETTINGS } from '../../texts/settings.ts';
import { PhoneField } from '../home/phone-field.tsx';
import { isWholePhone, tidyPhone, writePhone } from '../home/tidy-phone.ts';

const WAYS: readonly { value: NotifyBy; label: string; hint?: string }[] = [
  { value: 'text', label: SETTINGS.text, hint: SETTINGS.needsPhone },
  { value: 'email', label: SETTINGS.emailOnly },
  { value: 'both', label: SETTINGS.both },
];

/** How a member hears that there is something to record. */
export function Telling({ settings }: { settings: HomeSettings }) {
  const [phone, setPhone] = useState(writePhone(settings.phone ?? ''));
  const [notifyBy, setNotifyBy] = useState(settings.notify_by);
  const [problem, setProblem] = useState<string>();
  const save = useAction({
    run: (body: { phone: string; notify_by: NotifyBy }) => call('POST /home/settings', { body }),
    topics: ['members'],
    done: SETTINGS.saved,
    onDone: (saved) => setPhone(writePhone(saved.phone ?? '')),
    showsFailure: true,
  });
  const form = useFocusProblem<HTMLFormElement>(save.error);
  function submit(event: FormEvent): void {
    event.preventDefault();
    const tidy = tidyPhone(phone);
    const isSound = tidy === '' || isWholePhone(tidy);
    setProblem(isSound ? undefined : NEW_INTRO.needsPlus);
    if (isSound && !save.isPending) save.mutate({ phone: tidy, notify_by: notifyBy });
  }
  return (
    <Card title={SETTINGS.tellTitle} lead={SETTINGS.tellLead}>
      <form ref={form} className="form" noValidate onSubmit={submit}>
        <Field group label={SETTINGS.notifyBy} error={fieldProblem(save.error, 'notify_by')}>
          <RadioGroup label={SETTINGS.notifyBy} value={notifyBy} options={WAYS} onChange={setNotifyBy} />
        </Field>
        <PhoneField
          label={SETTINGS.phone}
          hint={SETTINGS.phoneHint}
          value={phone}
          onChange={setPhone}
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
