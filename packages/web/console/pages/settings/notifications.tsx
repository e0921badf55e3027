import type { NotifyBy } from '@foreword/contract';
import { fieldProblem } from '../../failure.ts';
import { Card } from '../../parts/card.tsx';
import { RadioGroup } from '../../parts/choices.tsx';
import { Field } from '../../parts/field.tsx';
import { PhoneField } from '../../parts/phone-field.tsx';
import { SETTINGS } from '../../texts/settings.ts';
import type { SettingsDraft } from './draft.ts';

const CHANNELS: readonly { value: NotifyBy; label: string; hint?: string }[] = [
  { value: 'text', label: SETTINGS.text, hint: SETTINGS.needsPhone },
  { value: 'email', label: SETTINGS.emailOnly },
  { value: 'both', label: SETTINGS.both },
];

interface NotificationsProps {
  draft: SettingsDraft;
  error: unknown;
  /** The problem with the typed number, shown before saving. */
  phoneProblem: string | undefined;
}

/** How and where the member is notified about videos to record. */
export function Notifications({ draft, error, phoneProblem }: NotificationsProps) {
  const { phone, notify_by: notifyBy } = draft.fields;
  return (
    <Card title={SETTINGS.notificationsTitle} lead={SETTINGS.notificationsLead}>
      <div className="form">
        <Field group label={SETTINGS.notifyBy} error={fieldProblem(error, 'notify_by')}>
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
          error={phoneProblem ?? fieldProblem(error, 'phone')}
          optional
        />
      </div>
    </Card>
  );
}
