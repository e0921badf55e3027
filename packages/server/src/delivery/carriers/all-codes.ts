import type { CarrierCodes } from './codes.ts';
import { TELNYX_CODES } from './telnyx-codes.ts';
import { TWILIO_CODES } from './twilio-codes.ts';

/** The tables of all carriers, in the order of the docs. */
export const CARRIER_CODES: readonly CarrierCodes[] = [TWILIO_CODES, TELNYX_CODES];
