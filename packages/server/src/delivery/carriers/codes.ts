import type { DeliveryFailureCode } from '@foreword/contract';
import type { Row } from '../../db/tenancy.ts';

/** Faults of the account with a carrier. They concern every text, not one recipient. */
export const ACCOUNT_FAULTS = {
  credentials: 'The carrier rejects the account or its token.',
  suspended: 'The account is suspended or closed, or has no funds left.',
  sender: 'The account may not send from this number.',
  toll_free_unverified: 'The toll-free number is not verified.',
  unregistered: 'The number is not registered for business texts in the US (A2P 10DLC).',
  registration_pending: 'The registration of the number (A2P 10DLC) is not finished yet.',
  campaign_suspended: 'The A2P 10DLC campaign of the number is suspended.',
  daily_cap: 'The account sent as many texts as it may send in a day.',
  filtered: 'Mobile networks block texts of this account as unwanted.',
  country_off: 'The account may not text numbers in this country.',
} as const;

export type AccountFault = keyof typeof ACCOUNT_FAULTS;

/** A newer version may know more faults. */
export const knownFault = (fault: string): AccountFault =>
  Object.hasOwn(ACCOUNT_FAULTS, fault) ? (fault as AccountFault) : 'credentials';

/** Why a number cannot receive texts. */
export type NumberFault = Row<'flagged_numbers'>['failure'];

/**
 * The action for a code. `retry`: the text was certainly not sent, and is sent again later. `hold`: this text and all others of
 * the account wait until the account works. `notify`: only this text fails, and the owners have to change something. `flag`: the number
 * cannot receive texts, and gets no more of them. `opt_out`: the recipient opted out. `fail`: only this text fails.
 */
type Consequence =
  | { readonly action: 'retry' }
  | { readonly action: 'hold'; readonly fault: AccountFault }
  | { readonly action: 'notify'; readonly fault: AccountFault; readonly failure: DeliveryFailureCode }
  | { readonly action: 'flag'; readonly failure: NumberFault }
  | { readonly action: 'opt_out'; readonly failure: 'recipient_opted_out' }
  | { readonly action: 'fail'; readonly failure: Exclude<DeliveryFailureCode, NumberFault> };

/** A code that a carrier publishes, in the response to a send request or in a delivery report. */
export type CarrierCode = Consequence & {
  readonly code: string;
  /** In our words. */
  readonly meaning: string;
};

/** All codes of one carrier that a sender of texts can meet. The docs have one table for each carrier. */
interface CarrierCodes {
  readonly carrier: string;
  /** The carrier's own list. */
  readonly source: string;
  readonly codes: readonly CarrierCode[];
}

export const indexCodes = ({ codes }: CarrierCodes): ReadonlyMap<string, CarrierCode> =>
  new Map(codes.map((entry) => [entry.code, entry]));

/** Each line of a table is a code with its action, its fault or failure or both, and its meaning. `#` begins a comment. */
function readCodes(carrier: string, source: string, table: string): CarrierCodes {
  const lines = table.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const codes = lines.map((line) => {
    const [columns = '', meaning = ''] = line.split(' | ');
    const [code = '', action = '', ...results] = columns.split(' ');
    const fault = results.find((result) => Object.hasOwn(ACCOUNT_FAULTS, result));
    const failure = results.find((result) => result !== fault);
    // A test compares the columns with the actions.
    return { code, meaning, action, ...(fault && { fault }), ...(failure && { failure }) } as CarrierCode;
  });
  return { carrier, source, codes };
}

/**
 * Twilio's codes for SMS. Each is described at https://www.twilio.com/docs/api/errors/CODE. The same codes arrive in responses and
 * in delivery reports. Codes of requests that Foreword never makes (media, schedules, WhatsApp) are left out.
 */
export const TWILIO_CODES = readCodes(
  'Twilio',
  'https://www.twilio.com/docs/api/errors',
  `
# The account.
20003 hold credentials | The account SID or the token is wrong.
20404 hold credentials | The account does not exist.
20005 hold suspended | The account is not active.
30002 hold suspended | The account was suspended before the text was sent.
30037 hold suspended | Outgoing texts are turned off for the account.
30454 hold daily_cap | A trial account reached its limit.
60728 retry | The account reached its limit per hour.
63038 hold daily_cap | The account reached its limit per day.
# The sender.
21212 hold sender | The sender is not a valid number.
21603 hold sender | No sender is set.
21606 hold sender | The sender cannot send texts.
21659 hold sender | The sender is not a Twilio number.
21660 hold sender | The sender belongs to another account.
21661 hold sender | The sender cannot send texts.
21703 hold sender | The messaging service has no number for this text.
21704 hold sender | The messaging service has no numbers.
21705 hold sender | The messaging service does not exist.
# Registration in the US and Canada.
30024 hold registration_pending | A mobile network does not know the sender yet.
30032 hold toll_free_unverified | The toll-free number is not verified.
30033 hold campaign_suspended | The A2P 10DLC campaign is suspended.
30034 hold unregistered | The number is not registered (A2P 10DLC).
30035 hold registration_pending | The registration of the number (A2P 10DLC) is pending.
# Rates. These texts were not handed to the mobile network.
14107 retry | Too many texts between two numbers.
20429 retry | Too many requests.
21611 retry | The sender's queue is full.
30001 retry | Twilio's queue for the sender is full.
30022 retry | The campaign's rate is exceeded.
30023 hold daily_cap | The brand's daily cap is reached.
30027 hold daily_cap | T-Mobile's daily cap for the brand is reached.
30036 retry | The text waited too long in Twilio's queue.
63017 retry | The account sends too fast.
63018 retry | The sender sends too fast.
# The owners have to change something, but other texts can be sent.
21408 notify country_off carrier_refused | The account may not text this country (Geo Permissions).
21608 notify suspended carrier_refused | A trial account only texts verified numbers.
572005 notify suspended carrier_refused | A trial account only texts verified numbers.
30007 notify filtered message_filtered | Twilio or a mobile network filtered the text as unwanted.
30450 notify filtered message_filtered | Twilio's protection against fraud blocked the text.
# The recipient.
21610 opt_out recipient_opted_out | The recipient opted out.
21211 flag invalid_number | The number is not valid.
21217 flag invalid_number | The number is not valid.
21265 flag unreachable_number | The number is a short code.
21268 flag unreachable_number | The number is a premium number.
21614 flag unreachable_number | The number is not a mobile number.
21635 flag unreachable_number | The number is a landline.
30005 flag invalid_number | The number is unknown or out of service.
30006 flag unreachable_number | The number is a landline.
# This text alone.
21266 fail carrier_refused | The recipient is the sender.
21602 fail carrier_refused | The text is empty.
# With another sender, the number may be reached.
21612 fail carrier_refused | No route leads from the sender to the number.
21617 fail carrier_refused | The text is too long.
30003 fail undelivered | The phone is off or unreachable.
30004 fail undelivered | The text is blocked on the way.
# It may have arrived, so it is not sent again.
30008 fail undelivered | It is unknown why the text did not arrive.
30410 fail undelivered | The mobile network did not respond in time.
`,
);

/**
 * Telnyx's codes for SMS. The same codes arrive in responses and in delivery reports. Left out are codes of requests that Foreword
 * never makes (MMS, profile secrets), and 10007 and 10008, after which the text may have been sent.
 */
export const TELNYX_CODES = readCodes(
  'Telnyx',
  'https://support.telnyx.com/en/articles/6505121-telnyx-messaging-error-codes',
  `
# The account.
10009 hold credentials | The API key is missing or wrong.
10010 hold credentials | The API key may not send texts.
20002 hold credentials | The API key was revoked.
20006 hold credentials | The access token expired.
20012 hold suspended | The account is not active, often for lack of funds.
20013 hold suspended | The account is blocked.
20014 hold suspended | The account is not verified.
20015 hold suspended | Texts are not enabled for the account.
20016 hold suspended | The account is not verified (level 1).
20017 hold suspended | The account is not verified (level 2).
20100 hold suspended | The account has no funds left.
40314 hold suspended | Texts are turned off for the account.
# The sender.
10001 hold sender | The sender is not an active number.
10005 hold sender | The sender or its messaging profile does not exist.
10006 hold sender | The id of the messaging profile is not valid.
40013 hold sender | The mobile network rejects the sender.
40100 hold sender | The sender has no messaging profile.
40151 hold sender | Another provider still sends the texts of the number.
40305 hold sender | The sender does not belong to the messaging profile.
40306 hold sender | The messaging profile allows no sender name.
40312 hold sender | The messaging profile is turned off.
40315 hold sender | Telnyx stopped the sender, because too many of its texts were blocked.
40320 hold sender | The sender cannot be used yet.
40321 hold sender | The messaging profile has no number that can be used.
# Registration in the US and Canada.
40010 hold unregistered | The number is not registered (A2P 10DLC).
40150 hold toll_free_unverified | The toll-free number is not registered.
40329 hold toll_free_unverified | The toll-free number is not verified.
# Rates. These texts were not handed to the mobile network.
10011 retry | Too many requests.
40011 retry | The mobile network accepts fewer texts per second.
40014 retry | The text waited too long in Telnyx's queue.
40018 retry | AT&T's rate for the campaign is exceeded.
40318 retry | Telnyx's queue for the sender is full.
40016 hold daily_cap | T-Mobile's daily cap for the brand is reached.
# The content, the country and the recipient.
40002 notify filtered message_filtered | A mobile network blocked the text as unwanted.
40003 notify filtered message_filtered | A mobile network blocked the sender as unwanted.
40015 notify filtered message_filtered | Telnyx blocked the text as unwanted.
40017 notify filtered message_filtered | AT&T blocked the text as unwanted.
40322 notify filtered message_filtered | Telnyx blocked the text because of its content.
40309 notify country_off carrier_refused | The messaging profile allows no texts to this country.
40300 opt_out recipient_opted_out | The recipient replied STOP.
40001 flag unreachable_number | The number is a landline, or cannot be reached.
40012 flag invalid_number | The mobile network does not know the number.
40301 flag unreachable_number | The number cannot receive texts from this sender.
40310 flag invalid_number | The number is not valid.
40319 flag unreachable_number | The number cannot receive texts of this type.
40004 fail undelivered | The recipient's mobile network rejected the text.
40005 fail undelivered | The text expired before it arrived.
40006 fail undelivered | The recipient's mobile network did not respond.
40008 fail undelivered | The mobile network did not deliver the text.
40009 fail carrier_refused | The mobile network rejects a character of the text.
40302 fail carrier_refused | The text is too long.
40316 fail carrier_refused | The text is empty.
40328 fail carrier_refused | The text is longer than the account allows.
`,
);

/** The tables of all carriers, in the order of the docs. */
export const CARRIER_CODES: readonly CarrierCodes[] = [TWILIO_CODES, TELNYX_CODES];
