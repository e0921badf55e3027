/** `note`: normal for a first try, but not for production. */
export type Status = 'ok' | 'note' | 'warning' | 'problem';

export interface Finding {
  readonly name: string;
  readonly status: Status;
  readonly message: string;
  /** The next step; null when no action is needed. */
  readonly next: string | null;
}

export const ok = (name: string, message: string): Finding => ({ name, status: 'ok', message, next: null });

export const note = (name: string, message: string, next: string): Finding => ({ name, status: 'note', message, next });

export const warning = (name: string, message: string, next: string): Finding => ({
  name,
  status: 'warning',
  message,
  next,
});

export const problem = (name: string, message: string, next: string): Finding => ({
  name,
  status: 'problem',
  message,
  next,
});

/** The worst status. */
export function overall(findings: readonly Finding[]): Status {
  const has = (status: Status) => findings.some((finding) => finding.status === status);
  if (has('problem')) return 'problem';
  return has('warning') ? 'warning' : 'ok';
}
