import { formatCount, formatList } from '../../format.ts';

export const PASSKEYS = {
  lead: 'With a passkey, signing in also takes your fingerprint, face, PIN, or security key. A stolen email is not enough.',
  empty: 'No passkeys yet. You sign in with a link by email or your company account alone.',
  add: 'Add passkey',
  removeLast: 'It is your only passkey. Without one, you sign in with a link by email or your company account alone.',
  unsupported: 'This browser doesn’t support passkeys. Use a current version of Chrome, Edge, Firefox, or Safari.',
  needsSignIn: 'To add your first passkey, sign in again. This keeps others from adding one on a device you left open.',
  wrongAddress:
    'Passkeys don’t work at this address. Open the console at the address that your administrator gave you.',
  canceled: 'Nothing was confirmed. Try again, and follow your browser’s instructions.',
  failed: 'Your browser couldn’t use a passkey. Try again, or use another browser.',
} as const;

export const SECOND_FACTOR = {
  title: 'Require passkeys',
  lead: 'Owners and managers then need a passkey to sign in. They have a week to add one; afterwards they add it when they sign in.',
  missing: (names: readonly string[]) =>
    `Without a passkey: ${names.length > 5 ? formatCount(names.length, 'person', 'people') : formatList(names)}.`,
} as const;

export const PASSKEY_SIGN_IN = {
  addLead: (organization: string) =>
    `${organization} requires passkeys for owners and managers. Your browser asks where to save it. From then on, you need it to sign in.`,
  lost: 'Ask an owner of your organization to remove it, on your page under Members. If you are the only owner, ask the administrator of this server to run foreword member reset-passkeys.',
} as const;
