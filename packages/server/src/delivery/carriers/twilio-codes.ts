import type { CarrierCodes } from './codes.ts';

/**
 * Twilio's codes for SMS. Each is described at https://www.twilio.com/docs/api/errors/CODE. The same codes arrive in responses and
 * in delivery reports. Codes of requests that Foreword never makes (media, schedules, WhatsApp) are left out.
 */
export const TWILIO_CODES: CarrierCodes = {
  carrier: 'Twilio',
  source: 'https://www.twilio.com/docs/api/errors',
  codes: [
    // The account.
    { code: '20003', meaning: 'The account SID or the token is wrong.', action: 'hold', fault: 'credentials' },
    { code: '20404', meaning: 'The account does not exist.', action: 'hold', fault: 'credentials' },
    { code: '20005', meaning: 'The account is not active.', action: 'hold', fault: 'suspended' },
    {
      code: '30002',
      meaning: 'The account was suspended before the text was sent.',
      action: 'hold',
      fault: 'suspended',
    },
    { code: '30037', meaning: 'Outgoing texts are turned off for the account.', action: 'hold', fault: 'suspended' },
    { code: '30454', meaning: 'A trial account reached its limit.', action: 'hold', fault: 'daily_cap' },
    { code: '60728', meaning: 'The account reached its limit per hour.', action: 'retry' },
    { code: '63038', meaning: 'The account reached its limit per day.', action: 'hold', fault: 'daily_cap' },
    // The sender.
    { code: '21212', meaning: 'The sender is not a valid number.', action: 'hold', fault: 'sender' },
    { code: '21603', meaning: 'No sender is set.', action: 'hold', fault: 'sender' },
    { code: '21606', meaning: 'The sender cannot send texts.', action: 'hold', fault: 'sender' },
    { code: '21659', meaning: 'The sender is not a Twilio number.', action: 'hold', fault: 'sender' },
    { code: '21660', meaning: 'The sender belongs to another account.', action: 'hold', fault: 'sender' },
    { code: '21661', meaning: 'The sender cannot send texts.', action: 'hold', fault: 'sender' },
    { code: '21703', meaning: 'The messaging service has no number for this text.', action: 'hold', fault: 'sender' },
    { code: '21704', meaning: 'The messaging service has no numbers.', action: 'hold', fault: 'sender' },
    { code: '21705', meaning: 'The messaging service does not exist.', action: 'hold', fault: 'sender' },
    // Registration in the US and Canada.
    {
      code: '30024',
      meaning: 'A mobile network does not know the sender yet.',
      action: 'hold',
      fault: 'registration_pending',
    },
    { code: '30032', meaning: 'The toll-free number is not verified.', action: 'hold', fault: 'toll_free_unverified' },
    { code: '30033', meaning: 'The A2P 10DLC campaign is suspended.', action: 'hold', fault: 'campaign_suspended' },
    { code: '30034', meaning: 'The number is not registered (A2P 10DLC).', action: 'hold', fault: 'unregistered' },
    {
      code: '30035',
      meaning: 'The registration of the number (A2P 10DLC) is pending.',
      action: 'hold',
      fault: 'registration_pending',
    },
    // Rates. These texts were not handed to the mobile network.
    { code: '14107', meaning: 'Too many texts between two numbers.', action: 'retry' },
    { code: '20429', meaning: 'Too many requests.', action: 'retry' },
    { code: '21611', meaning: "The sender's queue is full.", action: 'retry' },
    { code: '30001', meaning: "Twilio's queue for the sender is full.", action: 'retry' },
    { code: '30022', meaning: "The campaign's rate is exceeded.", action: 'retry' },
    { code: '30023', meaning: "The brand's daily cap is reached.", action: 'hold', fault: 'daily_cap' },
    { code: '30027', meaning: "T-Mobile's daily cap for the brand is reached.", action: 'hold', fault: 'daily_cap' },
    { code: '30036', meaning: "The text waited too long in Twilio's queue.", action: 'retry' },
    { code: '63017', meaning: 'The account sends too fast.', action: 'retry' },
    { code: '63018', meaning: 'The sender sends too fast.', action: 'retry' },
    // The owners have to change something, but other texts can be sent.
    {
      code: '21408',
      meaning: 'The account may not text this country (Geo Permissions).',
      action: 'notify',
      fault: 'country_off',
      failure: 'carrier_refused',
    },
    {
      code: '21608',
      meaning: 'A trial account only texts verified numbers.',
      action: 'notify',
      fault: 'suspended',
      failure: 'carrier_refused',
    },
    {
      code: '572005',
      meaning: 'A trial account only texts verified numbers.',
      action: 'notify',
      fault: 'suspended',
      failure: 'carrier_refused',
    },
    {
      code: '30007',
      meaning: 'Twilio or a mobile network filtered the text as unwanted.',
      action: 'notify',
      fault: 'filtered',
      failure: 'message_filtered',
    },
    {
      code: '30450',
      meaning: "Twilio's protection against fraud blocked the text.",
      action: 'notify',
      fault: 'filtered',
      failure: 'message_filtered',
    },
    // The recipient.
    { code: '21610', meaning: 'The recipient opted out.', action: 'opt_out', failure: 'recipient_opted_out' },
    { code: '21211', meaning: 'The number is not valid.', action: 'flag', failure: 'invalid_number' },
    { code: '21217', meaning: 'The number is not valid.', action: 'flag', failure: 'invalid_number' },
    { code: '21265', meaning: 'The number is a short code.', action: 'flag', failure: 'unreachable_number' },
    { code: '21268', meaning: 'The number is a premium number.', action: 'flag', failure: 'unreachable_number' },
    { code: '21614', meaning: 'The number is not a mobile number.', action: 'flag', failure: 'unreachable_number' },
    { code: '21635', meaning: 'The number is a landline.', action: 'flag', failure: 'unreachable_number' },
    { code: '30005', meaning: 'The number is unknown or out of service.', action: 'flag', failure: 'invalid_number' },
    { code: '30006', meaning: 'The number is a landline.', action: 'flag', failure: 'unreachable_number' },
    // This text alone.
    { code: '21266', meaning: 'The recipient is the sender.', action: 'fail', failure: 'carrier_refused' },
    { code: '21602', meaning: 'The text is empty.', action: 'fail', failure: 'carrier_refused' },
    // With another sender, the number may be reached.
    {
      code: '21612',
      meaning: 'No route leads from the sender to the number.',
      action: 'fail',
      failure: 'carrier_refused',
    },
    { code: '21617', meaning: 'The text is too long.', action: 'fail', failure: 'carrier_refused' },
    { code: '30003', meaning: 'The phone is off or unreachable.', action: 'fail', failure: 'undelivered' },
    { code: '30004', meaning: 'The text is blocked on the way.', action: 'fail', failure: 'undelivered' },
    // It may have arrived, so it is not sent again.
    { code: '30008', meaning: 'It is unknown why the text did not arrive.', action: 'fail', failure: 'undelivered' },
    { code: '30410', meaning: 'The mobile network did not respond in time.', action: 'fail', failure: 'undelivered' },
  ],
};
