import type { ConsentChange, ConsentSource } from '@foreword/contract';

const OPTED_OUT: Record<ConsentSource, string> = {
  text: 'Opted out by text',
  page: 'Stopped texts on the video page',
  carrier: 'Opted out with the carrier',
  api: 'Opted out with the API',
  team: 'Stopped by your team',
  operator: 'Opted out',
  import: 'Opted out, from a file',
};

const KINDS: Partial<Record<ConsentChange['kind'], string>> = {
  asked: 'Was asked whether to stop texts',
  answered: 'Replied, and did not stop texts',
};

export const CONSENT = {
  title: (name: string) => `${name} opted out of texts`,
  /** Why the team cannot undo it. */
  onlyStart: (name: string) => `${name} opted out by text. Carriers block texts until ${name} replies START.`,
  canAllow: (name: string) => `If ${name} asked for texts again, you can allow them.`,
  history: 'Consent to texts',
  change: ({ kind, source }: ConsentChange) =>
    kind === 'opt_in'
      ? source === 'text'
        ? 'Replied START'
        : 'Texts allowed again'
      : (KINDS[kind] ?? OPTED_OUT[source]),
  said: (text: string) => `“${text}”`,
  by: (name: string) => `by ${name}`,
  allow: 'Allow texts again',
  dialogTitle: (name: string) => `Allow texts to ${name} again?`,
  dialogLead: (name: string) =>
    `Only do this if ${name} asked for it: texting people who opted out is against the law in many places.`,
  askedBy: 'Who asked, and how?',
  askedByHint: (name: string) => `Such as “${name}, on the phone”. It is recorded with your name.`,
  askedByMissing: 'Enter who asked for texts again.',
  confirm: 'Allow texts',
  done: (name: string) => `${name} can be texted again.`,
} as const;
