import type { Role } from '@foreword/contract';
import { type Lane, lanesOf, NAME_MAX_LENGTH, NOTIFY_BY, ROLES } from '@foreword/contract/plain';
import { fieldProblem } from '../../api.ts';
import { bindFields, Checkbox, Field, PhoneNumberField, SelectField, TextField } from '../../parts/form.tsx';
import { useMay, useSession } from '../../session.ts';
import { LANE_NAMES } from '../../texts.ts';
import type { MemberFields } from './fields.ts';
import { FIELDS, ROLE_NAMES } from './texts.ts';

interface MemberFormProps {
  fields: MemberFields;
  onChange: (change: Partial<MemberFields>) => void;
  error: unknown;
  /** Null for a new member. */
  currentRole: Role | null;
  isLastOwner?: boolean;
}

const NOTIFY = NOTIFY_BY.map((value) => ({ value, label: FIELDS.notify[value] }));
const ROLE_OPTIONS = ROLES.map((value) => ({
  value,
  label: ROLE_NAMES[value],
}));

function roleHint(role: Role, isOwner: boolean, isLastOwner: boolean): string {
  if (isLastOwner) return FIELDS.lastOwner;
  return isOwner ? FIELDS.roleHints[role] : FIELDS.roleLocked;
}

export function MemberForm({ fields, onChange, error, currentRole, isLastOwner = false }: MemberFormProps) {
  const isOwner = useMay('owner');
  const lockedEmail = currentRole === 'owner' && !isOwner;
  const bind = bindFields(fields, error, onChange);
  const text = (name: 'first_name' | 'last_name' | 'title' | 'title_es') => ({
    ...bind(name),
    label: FIELDS[name],
    maxLength: NAME_MAX_LENGTH,
  });
  return (
    <div className="form">
      <div className="grid gap-20 form-row">
        <TextField {...text('first_name')} />
        <TextField {...text('last_name')} />
      </div>
      <div className="grid gap-20 form-row">
        <TextField
          {...bind('email')}
          label={FIELDS.email}
          hint={lockedEmail ? FIELDS.emailOfOwner : FIELDS.emailHint}
          type="email"
          inputMode="email"
          disabled={lockedEmail}
        />
        <PhoneNumberField {...bind('phone')} label={FIELDS.phone} hint={FIELDS.phoneHint} optional />
      </div>
      <div className="grid gap-20 form-row">
        <TextField {...text('title')} hint={FIELDS.titleHint} placeholder={FIELDS.titlePlaceholder} optional />
        <TextField {...text('title_es')} hint={FIELDS.titleEsHint} placeholder={FIELDS.titleEsPlaceholder} optional />
      </div>
      <div className="grid gap-20 form-row">
        <TextField
          {...bind('external_id')}
          label={FIELDS.external_id}
          hint={FIELDS.externalIdHint}
          spellCheck={false}
          optional
        />
        <SelectField {...bind('notify_by')} label={FIELDS.notify_by} options={NOTIFY} />
      </div>
      <Lanes lanes={fields.lanes} onChange={(lanes) => onChange({ lanes })} error={fieldProblem(error, 'lanes')} />
      <SelectField
        {...bind('role')}
        label={FIELDS.role}
        hint={roleHint(fields.role, isOwner, isLastOwner)}
        options={ROLE_OPTIONS}
        disabled={!isOwner || isLastOwner}
      />
    </div>
  );
}

function Lanes(props: {
  lanes: readonly Lane[];
  onChange: (lanes: readonly Lane[]) => void;
  error: string | undefined;
}) {
  const { lanes, onChange, error } = props;
  const possible = lanesOf(useSession().organization);
  if (possible.length < 2) return null;
  return (
    <Field label={FIELDS.lanes} hint={FIELDS.lanesHint} error={error} group>
      <div className="wrap member-lanes">
        {possible.map((lane) => (
          <Checkbox
            key={lane}
            label={LANE_NAMES[lane]}
            checked={lanes.includes(lane)}
            onChange={(on) => onChange(on ? [...lanes, lane] : lanes.filter((one) => one !== lane))}
          />
        ))}
      </div>
    </Field>
  );
}
