/** `note`: normal for a first try, but not for production. */
type Status = 'ok' | 'note' | 'warning' | 'problem';

export interface Finding {
  readonly name: string;
  readonly status: Status;
  readonly message: string;
  /** The next step; null when no action is needed. */
  readonly next: string | null;
}

const finding =
  (status: Status) =>
  (name: string, message: string, next: string): Finding => ({ name, status, message, next });

export const ok = (name: string, message: string): Finding => ({ name, status: 'ok', message, next: null });
export const note = finding('note');
export const warning = finding('warning');
export const problem = finding('problem');

/** The worst status. */
export function overall(findings: readonly Finding[]): Status {
  const has = (status: Status) => findings.some((one) => one.status === status);
  if (has('problem')) return 'problem';
  return has('warning') ? 'warning' : 'ok';
}
