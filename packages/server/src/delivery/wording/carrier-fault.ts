import type { AccountFault } from '../carriers/codes.ts';
import { type Addressee, addressed, type Email } from './email.ts';
import { wordingIn } from './languages/index.ts';

export interface CarrierFault {
  readonly fault: AccountFault;
  /** The carrier's own words. */
  readonly message: string;
  /** All texts wait until the account works; otherwise, only one text failed. */
  readonly isHeld: boolean;
  readonly isOwnAccount: boolean;
}

export function writeCarrierFault(to: Addressee, fault: CarrierFault, consoleUrl: string): Email {
  const { name, language } = to.organization;
  const { subject, faults, held, failed, next, ownAccount, sharedAccount, details } = wordingIn(language).carrierFault;
  return {
    ...addressed(to),
    subject: subject(name),
    lines: [
      `${faults[fault.fault]} ${fault.isHeld ? held : failed}`,
      next[fault.fault],
      `${fault.isOwnAccount ? ownAccount : sharedAccount} ${details(fault.message.replace(/\.$/, ''), consoleUrl)}`,
    ],
  };
}
