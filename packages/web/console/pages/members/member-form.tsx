import type { Role } from '@foreword/contract';
import { type Lane, lanesOf, NAME_MAX_LENGTH, NOTIFY_BY, ROLES } from '@foreword/contract/plain';
import { fieldProblem } from '../../failure.ts';
import { Checkbox } from '../../parts/choices.tsx';
import { Field } from '../../parts/field.tsx';
import { Input, PhoneInput } from '../../parts/input.tsx';
import { Select } from '../../parts/select.tsx';
import { useMay, useSession } from '../../session.ts';
import { LANE_NAMES } from '../../texts/common.ts';
import { FIELDS, ROLE_NAMES } from '../../texts/members.ts';
import type { MemberFields } from './fields.ts';

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
  return (
    <div className="form member-form">
      <div className="form-row">
        <Field label={FIELDS.first_name} error={fieldProblem(error, 'first_name')}>
          <Input
            value={fields.first_name}
            maxLength={NAME_MAX_LENGTH}
            onChange={(first_name) => onChange({ first_name })}
          />
        </Field>
        <Field label={FIELDS.last_name} error={fieldProblem(error, 'last_name')}>
          <Input
            value={fields.last_name}
            maxLength={NAME_MAX_LENGTH}
            onChange={(last_name) => onChange({ last_name })}
          />
        </Field>
      </div>
      <div className="form-row">
        <Field
          label={FIELDS.email}
          hint={lockedEmail ? FIELDS.emailOfOwner : FIELDS.emailHint}
          error={fieldProblem(error, 'email')}
        >
          <Input
            type="email"
            inputMode="email"
            value={fields.email}
            disabled={lockedEmail}
            onChange={(email) => onChange({ email })}
          />
        </Field>
        <Field label={FIELDS.phone} hint={FIELDS.phoneHint} error={fieldProblem(error, 'phone')} optional>
          <PhoneInput value={fields.phone} onChange={(phone) => onChange({ phone })} />
        </Field>
      </div>
      <div className="form-row">
        <Field label={FIELDS.title} hint={FIELDS.titleHint} error={fieldProblem(error, 'title')} optional>
          <Input
            value={fields.title}
            maxLength={NAME_MAX_LENGTH}
            placeholder={FIELDS.titlePlaceholder}
            onChange={(title) => onChange({ title })}
          />
        </Field>
        <Field label={FIELDS.title_es} hint={FIELDS.titleEsHint} error={fieldProblem(error, 'title_es')} optional>
          <Input
            value={fields.title_es}
            maxLength={NAME_MAX_LENGTH}
            placeholder={FIELDS.titleEsPlaceholder}
            onChange={(title_es) => onChange({ title_es })}
          />
        </Field>
      </div>
      <div className="form-row">
        <Field
          label={FIELDS.external_id}
          hint={FIELDS.externalIdHint}
          error={fieldProblem(error, 'external_id')}
          optional
        >
          <Input value={fields.external_id} spellCheck={false} onChange={(external_id) => onChange({ external_id })} />
        </Field>
        <Field label={FIELDS.notify_by} error={fieldProblem(error, 'notify_by')}>
          <Select value={fields.notify_by} options={NOTIFY} onChange={(notify_by) => onChange({ notify_by })} />
        </Field>
      </div>
      <Lanes lanes={fields.lanes} onChange={(lanes) => onChange({ lanes })} error={fieldProblem(error, 'lanes')} />
      <Field label={FIELDS.role} error={fieldProblem(error, 'role')} hint={roleHint(fields.role, isOwner, isLastOwner)}>
        <Select
          value={fields.role}
          options={ROLE_OPTIONS}
          disabled={!isOwner || isLastOwner}
          onChange={(role) => onChange({ role })}
        />
      </Field>
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
      <div className="member-lanes">
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
