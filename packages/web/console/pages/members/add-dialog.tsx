import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { FieldsDialog } from '../../parts/actions.tsx';
import type { FieldInfo } from '../../parts/form.tsx';
import { isSame } from '../../use-draft.ts';
import { EMPTY_FIELDS, type MemberFields, useMemberFields } from './fields.ts';
import { ADD, MEMBERS } from './texts.ts';

interface NewMember extends MemberFields {
  readonly welcome: boolean;
}

const WELCOME: FieldInfo<NewMember> = { name: 'welcome', label: ADD.welcome, hint: ADD.welcomeHint, kind: 'check' };

function toBody({ first_name, last_name, email, welcome, ...more }: NewMember) {
  const set = Object.entries(more).filter(([name, value]) => !isSame(EMPTY_FIELDS[name as keyof MemberFields], value));
  return {
    ...{ first_name, last_name, email },
    ...Object.fromEntries(set),
    ...(more.phone !== null && welcome && { welcome }),
  };
}

/** Adds one member, then opens their page, where a photo can be added. Closing keeps what was typed for the next time. */
export function AddMember({ open, onClose }: { open: boolean; onClose: () => void }) {
  const fields = useMemberFields(null);
  const navigate = useNavigate();
  return (
    <FieldsDialog<NewMember, { readonly id: string; readonly first_name: string; readonly last_name: string }>
      open={open}
      onClose={onClose}
      title={ADD.title}
      lead={ADD.lead}
      wide
      submit={MEMBERS.add}
      list={({ phone }) => (phone === null ? fields : [...fields, WELCOME])}
      initial={{ ...EMPTY_FIELDS, welcome: true }}
      run={(member, key) => call('POST /members', { body: toBody(member), key })}
      topics={['members']}
      done={(member) => ADD.done(formatName(member))}
      onDone={({ id }) => void navigate({ to: '/members/$id', params: { id } })}
    />
  );
}
