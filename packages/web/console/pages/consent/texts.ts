import type { ConsentChange, ConsentImport, ConsentSource } from '@foreword/contract';

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
  /** Why the team cannot undo it. */
  onlyStart: (name: string) => `${name} opted out by text. Carriers block texts until ${name} replies START.`,
  change: ({ kind, source }: ConsentChange) =>
    kind === 'opt_in'
      ? source === 'text'
        ? 'Replied START'
        : 'Texts allowed again'
      : (KINDS[kind] ?? OPTED_OUT[source]),
  allowing: {
    button: 'Allow texts again',
    title: (name: string) => `Allow texts to ${name} again?`,
    lead: (name: string) =>
      `Only do this if ${name} asked for it: texting people who opted out is against the law in many places.`,
    missing: 'Enter who asked for texts again.',
    confirm: 'Allow texts',
    done: (name: string) => `${name} can be texted again.`,
  },
  stopping: {
    button: 'Stop texts',
    title: (name: string) => `Stop texts to ${name}?`,
    lead: (name: string) =>
      `Use this if ${name} asked for no more texts on the phone or by email. Nothing is texted from then on.`,
    missing: 'Enter who asked for no more texts.',
    confirm: 'Stop texts',
    done: (name: string) => `${name} gets no more texts.`,
  },
  importLead:
    'Choose a CSV file with a column “phone”, and perhaps “reason”. None of these numbers is texted from then on.',
  imported: ({ added, already }: ConsentImport) => `${added} opted out, ${already} had already opted out`,
  problems: (lines: readonly number[]) => `No phone number in these lines: ${lines.join(', ')}.`,
  askedByHint: (name: string) => `Such as “${name}, on the phone”. It is recorded with your name.`,
} as const;
