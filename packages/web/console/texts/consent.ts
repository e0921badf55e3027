import type { ConsentChange, ConsentSource } from '@foreword/contract';

const OPTED_OUT: Record<ConsentSource, string> = {
  text: 'Replied STOP',
  page: 'Stopped texts on the video page',
  carrier: 'Opted out with the carrier',
  operator: 'Opted out',
  team: 'Opted out',
};

export const CONSENT = {
  title: (name: string) => `${name} opted out of texts`,
  /** Why the team cannot undo it. */
  onlyStart: (name: string) =>
    `Carriers block texts to a number that replied STOP, until it replies START. Only ${name} can do that.`,
  onPage: (name: string) =>
    `${name} stopped texts on the video page. If that was a mistake and they asked for texts again, you can allow them.`,
  history: 'Consent to texts',
  change: ({ kind, source }: ConsentChange) =>
    kind === 'opt_out' ? OPTED_OUT[source] : source === 'team' ? 'Allowed texts again' : 'Replied START',
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
