/**
 * Seconds between two texts that find out whether an account works again; the last one repeats. The first are short, because most
 * faults in a response end at once, and such a text costs nothing.
 */
const PROBE_DELAYS_S = [5, 30, 120, 600, 1_800, 3_600] as const;
/** If the carrier accepts texts and reports the fault later, each one costs money, and the report may take minutes. */
const REPORTED_PROBE_DELAYS_S = [600, 3_600, 14_400] as const;

/** When the next text may be sent after this many, while the account cannot send. */
export function nextProbeAt(probes: number, { isReported }: { readonly isReported: boolean }, now: Date): Date {
  const delays = isReported ? REPORTED_PROBE_DELAYS_S : PROBE_DELAYS_S;
  const delayS = delays[Math.min(probes, delays.length - 1)] ?? 0;
  return new Date(now.getTime() + delayS * 1000);
}

/** Seconds before a text is sent again that the carrier accepted, but did not hand to the mobile network. */
const RESEND_DELAYS_S = [600, 3_600, 21_600] as const;

/** When to send it again; null after the last time. */
export function resendAt(resends: number, now: Date): Date | null {
  const delayS = RESEND_DELAYS_S[resends];
  return delayS === undefined ? null : new Date(now.getTime() + delayS * 1000);
}

/** The owners get at most one email about the same fault in this time. */
export const NOTICE_GAP_MS = 24 * 3_600_000;

/** The carrier's words without phone numbers: they are kept after a recipient is erased. */
export const withoutNumbers = (message: string): string => message.replaceAll(/\+?\d[\d ().-]{5,}\d/g, '…');
